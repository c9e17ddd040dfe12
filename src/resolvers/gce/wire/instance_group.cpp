#include "resolvers/gce/wire/instance_group.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "google/wire/resource_id.hpp"

namespace rollcall {
namespace {

using NamedPort = std::pair<std::string, std::string>;

std::string check_group_port(NamedPort& port) {
  if (port.first.empty()) return "has no name";
  return port.second.empty() ? "has no port" : "";
}

// `https://www.googleapis.com/compute/v1/projects/P/zones/Z/instances/NAME`, or any tail of it.
std::string set_instance(InstanceGroupMember& member, std::string_view url) {
  const std::string_view name = last_segment(url);
  if (!url.empty() && !is_resource_id(name)) return fmt::format("is {}, not the URL of an instance", quoted(url, 200));
  member.name = name;
  member.zone.clear();
  constexpr std::string_view zones = "zones/";
  const std::size_t at = url.rfind(zones);
  if (at != std::string_view::npos && (at == 0 || url[at - 1] == '/')) {
    const std::string_view zone = url.substr(at + zones.size()).substr(0, url.substr(at + zones.size()).find('/'));
    if (!is_resource_id(zone)) return fmt::format("is {}, which names no zone", quoted(url, 200));
    member.zone = zone;
  }
  return {};
}
std::string check_group_member(InstanceGroupMember& member) { return member.name.empty() ? "has no instance" : ""; }

// clang-format off
constexpr auto group_port_fields = json_object<NamedPort, check_group_port>(
    text_field<&NamedPort::first>("name"),
    decimal_field<&NamedPort::second>("port"));
constexpr auto group_member_fields = json_object<InstanceGroupMember, check_group_member>(
    text_field<set_instance>("instance"),
    text_field<&InstanceGroupMember::status>("status"),
    array_field<&InstanceGroupMember::named_ports, group_port_fields>("namedPorts"));
constexpr auto group_page_fields = json_object<InstanceGroupPage>(
    array_field<&InstanceGroupPage::members, group_member_fields>("items"),
    text_field<&InstanceGroupPage::next_page_token>("nextPageToken"),
    object_field<&InstanceGroupPage::warning, list_warning_fields>("warning"));
// clang-format on

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

constexpr JsonForm<InstanceGroupPage> instance_group_form = json_form<group_page_fields>("the list of the group's instances");

Result<InstanceGroupPage> parse_instance_group(std::string_view json, const ParseLimits& limits) {
  return read_json(instance_group_form, json, limits);
}

constexpr JsonForm<InstanceGroupListPage> instance_group_list_form = json_form<listed_page_fields>("the list of instance groups");
constexpr JsonForm<InstanceGroupListPage> aggregated_groups_form = json_form<aggregated_page_fields>("the list of instance groups");

}  // namespace rollcall
