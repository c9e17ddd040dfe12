#include "resolvers/gce/wire/instance_group.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "google/wire/resource_id.hpp"

namespace rollcall {
namespace {

enum GroupId : int {
  group_page,
  group_items,
  group_item,
  group_instance,
  group_status,
  group_ports,
  group_port,
  group_port_name,
  group_port_number,
  group_token
};

constexpr JsonShape group_port_fields[] = {{"name", JsonKind::text, group_port_name}, {"port", JsonKind::decimal, group_port_number}};
constexpr JsonShape group_ports_element[] = {{"", JsonKind::object, group_port, group_port_fields, 4 * sizeof(std::string)}};
constexpr JsonShape group_item_fields[] = {{"instance", JsonKind::text, group_instance},
                                           {"status", JsonKind::text, group_status},
                                           {"namedPorts", JsonKind::array, group_ports, group_ports_element}};
constexpr JsonShape group_items_element[] = {{"", JsonKind::object, group_item, group_item_fields, 2 * sizeof(InstanceGroupMember)}};

constexpr JsonShape group_page_fields[] = {
    {"items", JsonKind::array, group_items, group_items_element}, {"nextPageToken", JsonKind::text, group_token}, list_warning_shape};
constexpr JsonShape group_root = {"", JsonKind::object, group_page, group_page_fields};

constexpr std::string_view group_document = "the list of the group's instances";

}  // namespace

class InstanceGroupParser::Impl final : public JsonVisitor {
 public:
  explicit Impl(const ParseLimits& limits) : parser(group_document, group_root, *this, limits) {}

  void begin(int id) override {
    begin_list_warning(page.warning, id);
    if (id == group_items) page.members.clear();
    if (id == group_item) page.members.emplace_back();
    if (id == group_ports) page.members.back().named_ports.clear();
    if (id == group_port) page.members.back().named_ports.emplace_back();
  }

  std::string end(int id) override {
    if (id == group_item && page.members.back().name.empty()) return "has no instance";
    if (id != group_port) return {};
    const auto& [name, number] = page.members.back().named_ports.back();
    if (name.empty()) return "has no name";
    return number.empty() ? "has no port" : "";
  }

  std::string text(int id, std::string_view value) override {
    set_list_warning(page.warning, id, value);
    switch (id) {
      case group_instance: return set_instance(value);
      case group_status: page.members.back().status = value; break;
      case group_port_name: page.members.back().named_ports.back().first = value; break;
      case group_port_number: page.members.back().named_ports.back().second = value; break;
      case group_token: page.next_page_token = value; break;
      default: break;
    }
    return {};
  }

  // `https://www.googleapis.com/compute/v1/projects/P/zones/Z/instances/NAME`, or any tail of it.
  std::string set_instance(std::string_view url) {
    InstanceGroupMember& member = page.members.back();
    const std::string_view name = last_segment(url);
    if (!url.empty() && !is_resource_id(name)) return fmt::format("is {}, not the URL of an instance", quoted(url, 200));
    member.name = name;
    member.zone.clear();
    constexpr std::string_view zones = "zones/";
    std::size_t at = url.rfind(zones);
    if (at != std::string_view::npos && (at == 0 || url[at - 1] == '/')) {
      const std::string_view zone = url.substr(at + zones.size()).substr(0, url.substr(at + zones.size()).find('/'));
      if (!is_resource_id(zone)) return fmt::format("is {}, which names no zone", quoted(url, 200));
      member.zone = zone;
    }
    return {};
  }

  InstanceGroupPage page;
  JsonShapeParser parser;
};

InstanceGroupParser::InstanceGroupParser(const ParseLimits& limits) : impl_(std::make_unique<Impl>(limits)) {}
InstanceGroupParser::~InstanceGroupParser() = default;
InstanceGroupParser::InstanceGroupParser(InstanceGroupParser&&) noexcept = default;
InstanceGroupParser& InstanceGroupParser::operator=(InstanceGroupParser&&) noexcept = default;

Result<void> InstanceGroupParser::feed(std::string_view chunk) { return impl_->parser.feed(chunk); }

Result<void> InstanceGroupParser::finish() { return impl_->parser.finish(); }
InstanceGroupPage& InstanceGroupParser::page() { return impl_->page; }
MemoryShare& InstanceGroupParser::memory() { return impl_->parser.memory(); }

Result<InstanceGroupPage> parse_instance_group(std::string_view json, const ParseLimits& limits) {
  InstanceGroupParser parser(limits);
  if (Result<void> fed = parser.feed(json); !fed) return fed.error();
  if (Result<void> ended = parser.finish(); !ended) return ended.error();
  return std::move(parser.page());
}

}  // namespace rollcall
