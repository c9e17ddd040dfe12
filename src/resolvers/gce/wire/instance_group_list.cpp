#include "resolvers/gce/wire/instance_group_list.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "google/wire/resource_id.hpp"

namespace rollcall {
namespace {

using GroupListPage = InstanceGroupListPage;

std::string name_complaint(std::string_view name) {
  return name.empty() || is_resource_id(name) ? std::string() : fmt::format("is {}, not the name of a group", quoted(name, 80));
}
std::string size_complaint(std::int64_t size) { return size < 0 ? fmt::format("is {}, not a size", size) : std::string(); }

template <std::string InstanceGroup::* place>
std::string set_group_place(InstanceGroup& group, std::string_view url) {
  const std::string_view name = last_segment(url);
  group.*place = name;
  return name.empty() || is_resource_id(name) ? std::string() : fmt::format("ends in {}, not a place", quoted(name, 80));
}
void clear_listed_port(InstanceGroup& group) { group.first_named_port.clear(); }
std::string set_listed_port(InstanceGroup& group, std::string_view name) {
  if (group.first_named_port.empty()) group.first_named_port = name;
  return {};
}
std::string check_listed_group(InstanceGroup& group) { return group.name.empty() ? "has no name" : ""; }
void clear_groups(GroupListPage& page) { page.groups.clear(); }
std::string keep_serious(GroupListPage& page) {
  std::erase_if(page.warnings, [](const ListWarning& warning) { return !warning.is_serious(); });
  return {};
}

// clang-format off
constexpr auto listed_port_fields = json_object<InstanceGroup>(
    text_field<set_listed_port>("name"));
constexpr auto listed_group_fields = json_object<InstanceGroup, check_listed_group>(
    text_field<&InstanceGroup::name, name_complaint>("name"),
    text_field<set_group_place<&InstanceGroup::zone>>("zone"),
    text_field<set_group_place<&InstanceGroup::region>>("region"),
    integer_field<&InstanceGroup::size, size_complaint>("size"),
    inner_array<listed_port_fields, clear_listed_port>("namedPorts"));
constexpr auto listed_page_fields = json_object<GroupListPage, keep_serious>(
    array_field<&GroupListPage::groups, listed_group_fields>("items"),
    text_field<&GroupListPage::next_page_token>("nextPageToken"),
    joined_object<&GroupListPage::warnings, list_warning_fields>("warning"));

constexpr auto scope_fields = json_object<GroupListPage>(
    joined_array<&GroupListPage::groups, listed_group_fields>("instanceGroups"),
    joined_object<&GroupListPage::warnings, list_warning_fields>("warning"));
constexpr auto scopes_fields = json_object<GroupListPage>(
    inner_field<scope_fields>("*"));
constexpr auto aggregated_page_fields = json_object<GroupListPage, keep_serious>(
    inner_field<scopes_fields, clear_groups>("items"),
    text_field<&GroupListPage::next_page_token>("nextPageToken"),
    joined_object<&GroupListPage::warnings, list_warning_fields>("warning"));
// clang-format on

}  // namespace

constexpr JsonForm<InstanceGroupListPage> instance_group_list_form = json_form<listed_page_fields>("the list of instance groups");
constexpr JsonForm<InstanceGroupListPage> aggregated_groups_form = json_form<aggregated_page_fields>("the list of instance groups");

}  // namespace rollcall
