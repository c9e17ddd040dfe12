#include "resolvers/gce/wire/instance_list.hpp"

#include <fmt/format.h>

#include <limits>

#include "cluster/service_address.hpp"
#include "google/wire/resource_id.hpp"

namespace rollcall {
namespace {

using Nic = Instance::Interface;

// A name in place of an address is refused: each client would resolve it, and it could belong to any machine.
std::string address_complaint(std::string_view text) {
  return text.empty() || service_ip(text) == text ? std::string() : "is " + not_an_address(text);
}

void clear_external(Nic& nic) { nic.external_ipv6.clear(); }
std::string set_external(Nic& nic, std::string_view text) {
  if (nic.external_ipv6.empty()) nic.external_ipv6 = text;
  return address_complaint(text);
}
std::string complete_nic(Nic& nic) {
  if (nic.ipv6.empty()) nic.ipv6 = nic.external_ipv6;
  return {};
}
void clear_place(Instance& instance) {
  for (std::string* const part : {&instance.cluster, &instance.block, &instance.subblock, &instance.physical_host}) part->clear();
}
std::string set_instance_zone(Instance& instance, std::string_view url) {
  instance.zone = last_segment(url);
  return {};
}
std::string set_machine_type(Instance& instance, std::string_view url) {
  instance.machine_type = last_segment(url);
  return {};
}
std::string set_guest_type(GuestAccelerators& guest, std::string_view url) {
  guest.type = last_segment(url);
  return {};
}
std::string set_guest_count(GuestAccelerators& guest, std::int64_t count) {
  if (count < 0 || count > std::numeric_limits<int>::max()) return fmt::format("is {}, no number of accelerators", count);
  guest.count = static_cast<int>(count);
  return {};
}

// clang-format off
constexpr auto access_fields = json_object<Nic>(
    text_field<set_external>("externalIpv6"));
constexpr auto nic_fields = json_object<Nic, complete_nic>(
    text_field<&Nic::name>("name"),
    text_field<&Nic::ip, address_complaint>("networkIP"),
    text_field<&Nic::ipv6, address_complaint>("ipv6Address"),
    inner_array<access_fields, clear_external>("ipv6AccessConfigs"));
constexpr auto place_fields = json_object<Instance>(
    text_field<&Instance::cluster>("cluster"),
    text_field<&Instance::block>("block"),
    text_field<&Instance::subblock>("subblock"),
    text_field<&Instance::physical_host>("host"));
constexpr auto status_fields = json_object<Instance>(
    inner_field<place_fields, clear_place>("physicalHostTopology"));
constexpr auto guest_fields = json_object<GuestAccelerators>(
    text_field<set_guest_type>("acceleratorType"),
    integer_field<set_guest_count>("acceleratorCount"));
constexpr auto instance_fields = json_object<Instance>(
    text_field<&Instance::name>("name"),
    text_field<set_instance_zone>("zone"),
    text_field<&Instance::status>("status"),
    array_field<&Instance::interfaces, nic_fields>("networkInterfaces"),
    text_field<set_machine_type>("machineType"),
    array_field<&Instance::guests, guest_fields>("guestAccelerators"),
    inner_field<status_fields, clear_place>("resourceStatus"));
constexpr auto instance_page_fields = json_object<InstancePage>(
    array_field<&InstancePage::instances, instance_fields>("items"),
    text_field<&InstancePage::next_page_token>("nextPageToken"),
    object_field<&InstancePage::warning, list_warning_fields>("warning"));
// clang-format on

constexpr JsonForm<Instance> instance_form = json_form<instance_fields>("the instance");

}  // namespace

constexpr JsonForm<InstancePage> instance_list_form = json_form<instance_page_fields>("the list of instances");

Result<InstancePage> parse_instance_list(std::string_view json, const ParseLimits& limits) {
  return read_json(instance_list_form, json, limits);
}
Result<Instance> parse_instance(std::string_view json, const ParseLimits& limits, MemoryShare* kept) {
  return read_json(instance_form, json, limits, kept);
}

}  // namespace rollcall
