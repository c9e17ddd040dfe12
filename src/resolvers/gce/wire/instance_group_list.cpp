#include "resolvers/gce/wire/instance_group_list.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "google/wire/resource_id.hpp"

namespace rollcall {
namespace {

// clang-format off
enum GroupListId : int {
  groups_page, groups_items, groups_scope, groups_list, groups_group, listed_name, listed_zone, listed_region, listed_size, listed_ports,
  listed_port, listed_port_name, groups_token,
};
// clang-format on

constexpr JsonShape listed_port_fields[] = {{"name", JsonKind::text, listed_port_name}};
constexpr JsonShape listed_ports_element[] = {{"", JsonKind::object, listed_port, listed_port_fields}};
constexpr JsonShape listed_group_fields[] = {{"name", JsonKind::text, listed_name},
                                             {"zone", JsonKind::text, listed_zone},
                                             {"region", JsonKind::text, listed_region},
                                             {"size", JsonKind::integer, listed_size},
                                             {"namedPorts", JsonKind::array, listed_ports, listed_ports_element}};
constexpr JsonShape listed_groups_element[] = {{"", JsonKind::object, groups_group, listed_group_fields, 2 * sizeof(InstanceGroup)}};
constexpr JsonShape groups_page_fields[] = {
    {"items", JsonKind::array, groups_list, listed_groups_element}, {"nextPageToken", JsonKind::text, groups_token}, list_warning_shape};
constexpr JsonShape groups_page_root = {"", JsonKind::object, groups_page, groups_page_fields};

constexpr JsonShape scope_fields[] = {{"instanceGroups", JsonKind::array, groups_list, listed_groups_element}, list_warning_shape};
constexpr JsonShape scopes_fields[] = {{"*", JsonKind::object, groups_scope, scope_fields}};
constexpr JsonShape aggregated_fields[] = {
    {"items", JsonKind::object, groups_items, scopes_fields}, {"nextPageToken", JsonKind::text, groups_token}, list_warning_shape};
constexpr JsonShape aggregated_root = {"", JsonKind::object, groups_page, aggregated_fields};

class GroupListVisitor final : public JsonVisitor {
 public:
  void begin(int id) override {
    begin_list_warning(warning_, id);
    switch (id) {
      case groups_items: page.groups.clear(); break;
      case groups_group: page.groups.emplace_back(); break;
      case listed_ports: group().first_named_port.clear(); break;
      default: break;
    }
  }

  std::string end(int id) override {
    if (id == warning_id && warning_.is_serious()) page.warnings.push_back(std::move(warning_));
    if (id == groups_group && group().name.empty()) return "has no name";
    return {};
  }

  std::string text(int id, std::string_view value) override {
    set_list_warning(warning_, id, value);
    switch (id) {
      case listed_name:
        group().name = value;
        return value.empty() || is_resource_id(value) ? std::string() : fmt::format("is {}, not the name of a group", quoted(value, 80));
      case listed_zone: group().zone = last_segment(value); return place_complaint(group().zone);
      case listed_region: group().region = last_segment(value); return place_complaint(group().region);
      case listed_port_name:
        if (group().first_named_port.empty()) group().first_named_port = value;
        break;
      case groups_token: page.next_page_token = value; break;
      default: break;
    }
    return {};
  }

  std::string integer(int id, std::optional<std::int64_t> value) override {
    if (id == listed_size) group().size = value.value_or(0);
    return group().size < 0 ? fmt::format("is {}, not a size", group().size) : std::string();
  }

  InstanceGroupListPage page;

 private:
  InstanceGroup& group() { return page.groups.back(); }
  static std::string place_complaint(const std::string& place) {
    return place.empty() || is_resource_id(place) ? std::string() : fmt::format("ends in {}, not a place", quoted(place, 80));
  }

  ListWarning warning_;
};

}  // namespace

class InstanceGroupListParser::Impl {
 public:
  Impl(const ParseLimits& limits, bool is_aggregated)
      : parser("the list of instance groups", is_aggregated ? aggregated_root : groups_page_root, visitor, limits) {}
  GroupListVisitor visitor;
  JsonShapeParser parser;
};

InstanceGroupListParser::InstanceGroupListParser(const ParseLimits& limits, bool is_aggregated)
    : impl_(std::make_unique<Impl>(limits, is_aggregated)) {}
InstanceGroupListParser::~InstanceGroupListParser() = default;
InstanceGroupListParser::InstanceGroupListParser(InstanceGroupListParser&&) noexcept = default;
InstanceGroupListParser& InstanceGroupListParser::operator=(InstanceGroupListParser&&) noexcept = default;

Result<void> InstanceGroupListParser::feed(std::string_view chunk) { return impl_->parser.feed(chunk); }
Result<void> InstanceGroupListParser::finish() { return impl_->parser.finish(); }
InstanceGroupListPage& InstanceGroupListParser::page() { return impl_->visitor.page; }

}  // namespace rollcall
