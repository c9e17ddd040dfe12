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

}  // namespace

constexpr JsonForm<InstanceGroupPage> instance_group_form = json_form<group_page_fields>("the list of the group's instances");

Result<InstanceGroupPage> parse_instance_group(std::string_view json, const ParseLimits& limits) {
  return read_json(instance_group_form, json, limits);
}

}  // namespace rollcall
