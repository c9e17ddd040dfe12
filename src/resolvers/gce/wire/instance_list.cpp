#include "resolvers/gce/wire/instance_list.hpp"

#include <fmt/format.h>

#include "cluster/service_address.hpp"
#include "google/wire/resource_id.hpp"

namespace rollcall {
namespace {

// clang-format off
enum InstanceId : int {
  instance_object, instance_name, instance_zone, instance_status, instance_nics, instance_nic, nic_name, nic_ip, nic_ipv6,
  nic_access_list, nic_access, nic_external_ipv6, instance_page, instance_items, instance_token,
};
// clang-format on

constexpr JsonShape nic_access_fields[] = {{"externalIpv6", JsonKind::text, nic_external_ipv6}};
constexpr JsonShape nic_access_element[] = {{"", JsonKind::object, nic_access, nic_access_fields}};
constexpr JsonShape nic_fields[] = {{"name", JsonKind::text, nic_name},
                                    {"networkIP", JsonKind::text, nic_ip},
                                    {"ipv6Address", JsonKind::text, nic_ipv6},
                                    {"ipv6AccessConfigs", JsonKind::array, nic_access_list, nic_access_element}};
constexpr JsonShape nics_element[] = {{"", JsonKind::object, instance_nic, nic_fields, 2 * sizeof(Instance::Interface)}};
constexpr JsonShape instance_fields[] = {{"name", JsonKind::text, instance_name},
                                         {"zone", JsonKind::text, instance_zone},
                                         {"status", JsonKind::text, instance_status},
                                         {"networkInterfaces", JsonKind::array, instance_nics, nics_element}};
constexpr JsonShape instance_root = {"", JsonKind::object, instance_object, instance_fields, 2 * sizeof(Instance)};
constexpr JsonShape instance_items_element[] = {instance_root};
constexpr JsonShape instance_page_fields[] = {{"items", JsonKind::array, instance_items, instance_items_element},
                                              {"nextPageToken", JsonKind::text, instance_token},
                                              list_warning_shape};
constexpr JsonShape instance_page_root = {"", JsonKind::object, instance_page, instance_page_fields};

// A name would be looked up by whoever connects, and could be anybody's.
std::string address_complaint(std::string_view text) {
  return text.empty() || service_ip(text) == text ? std::string() : "is " + not_an_address(text);
}

class InstanceVisitor final : public JsonVisitor {
 public:
  void begin(int id) override {
    begin_list_warning(page.warning, id);
    switch (id) {
      case instance_items: page.instances.clear(); break;
      case instance_object: page.instances.emplace_back(); break;
      case instance_nics: instance().interfaces.clear(); break;
      case instance_nic:
        instance().interfaces.emplace_back();
        external_.clear();
        break;
      case nic_access_list: external_.clear(); break;
      default: break;
    }
  }

  std::string end(int id) override {
    if (id == instance_nic && nic().ipv6.empty()) nic().ipv6 = external_;
    return {};
  }

  std::string text(int id, std::string_view value) override {
    set_list_warning(page.warning, id, value);
    switch (id) {
      case instance_name: instance().name = value; break;
      case instance_zone: instance().zone = last_segment(value); break;
      case instance_status: instance().status = value; break;
      case nic_name: nic().name = value; break;
      case nic_ip: nic().ip = value; return address_complaint(value);
      case nic_ipv6: nic().ipv6 = value; return address_complaint(value);
      case nic_external_ipv6:
        if (external_.empty()) external_ = value;
        return address_complaint(value);
      case instance_token: page.next_page_token = value; break;
      default: break;
    }
    return {};
  }

  Instance& instance() { return page.instances.back(); }

  InstancePage page;

 private:
  Instance::Interface& nic() { return instance().interfaces.back(); }

  std::string external_;  // of the interface that is read
};

}  // namespace

class InstanceListParser::Impl {
 public:
  explicit Impl(const ParseLimits& limits) : parser("the list of instances", instance_page_root, visitor, limits) {}
  InstanceVisitor visitor;
  JsonShapeParser parser;
};

InstanceListParser::InstanceListParser(const ParseLimits& limits) : impl_(std::make_unique<Impl>(limits)) {}
InstanceListParser::~InstanceListParser() = default;
InstanceListParser::InstanceListParser(InstanceListParser&&) noexcept = default;
InstanceListParser& InstanceListParser::operator=(InstanceListParser&&) noexcept = default;

Result<void> InstanceListParser::feed(std::string_view chunk) { return impl_->parser.feed(chunk); }
Result<void> InstanceListParser::finish() { return impl_->parser.finish(); }
InstancePage& InstanceListParser::page() { return impl_->visitor.page; }
MemoryShare& InstanceListParser::memory() { return impl_->parser.memory(); }

Result<InstancePage> parse_instance_list(std::string_view json, const ParseLimits& limits) {
  InstanceListParser parser(limits);
  if (Result<void> fed = parser.feed(json); !fed) return fed.error();
  if (Result<void> ended = parser.finish(); !ended) return ended.error();
  return std::move(parser.page());
}

Result<Instance> parse_instance(std::string_view json, const ParseLimits& limits, MemoryShare* kept) {
  InstanceVisitor visitor;
  JsonShapeParser parser("the instance", instance_root, visitor, limits);
  if (Result<void> fed = parser.feed(json); !fed) return fed.error();
  if (Result<void> ended = parser.finish(); !ended) return ended.error();
  if (kept) kept->add(std::move(parser.memory()));
  return std::move(visitor.instance());
}

}  // namespace rollcall
