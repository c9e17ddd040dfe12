#include "resolvers/queued/wire/queued_resource.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "google/wire/resource_id.hpp"
#include "json/json_shape.hpp"

namespace rollcall {
namespace {

// clang-format off
enum QueuedId : int {
  queued_object, queued_name, queued_time, queued_tpu, queued_specs, queued_spec, spec_parent, spec_node_id, spec_slices, slices_count,
  slices_prefix, spec_node, node_type, node_runtime, tier_spot, tier_guaranteed, tier_best_effort, queued_reservation, queued_state,
  state_state, state_initiator_id, state_failed, failed_error, failed_code, failed_message, failed_details, failed_detail, detail_reason,
  queued_page, queued_items, queued_token, queued_unreachable, queued_place,
};

constexpr JsonShape slices_fields[] = {{"nodeCount", JsonKind::integer, slices_count}, {"nodeIdPrefix", JsonKind::text, slices_prefix}};
constexpr JsonShape spec_node_fields[] = {{"acceleratorType", JsonKind::text, node_type}, {"runtimeVersion", JsonKind::text, node_runtime}};
constexpr JsonShape spec_fields[] = {{"parent", JsonKind::text, spec_parent},
                                     {"nodeId", JsonKind::text, spec_node_id},
                                     {"multisliceParams", JsonKind::object, spec_slices, slices_fields},  // v2
                                     {"multiNodeParams", JsonKind::object, spec_slices, slices_fields},   // v2alpha1
                                     {"node", JsonKind::object, spec_node, spec_node_fields}};
constexpr JsonShape specs_element[] = {{"", JsonKind::object, queued_spec, spec_fields, 2 * sizeof(QueuedResource::NodeSpec)}};
constexpr JsonShape queued_tpu_fields[] = {{"nodeSpec", JsonKind::array, queued_specs, specs_element}};
constexpr JsonShape detail_fields[] = {{"reason", JsonKind::text, detail_reason}};
constexpr JsonShape details_element[] = {{"", JsonKind::object, failed_detail, detail_fields}};
constexpr JsonShape error_fields[] = {{"code", JsonKind::integer, failed_code},
                                      {"message", JsonKind::text, failed_message},
                                      {"details", JsonKind::array, failed_details, details_element}};
constexpr JsonShape failed_fields[] = {{"error", JsonKind::object, failed_error, error_fields}};
constexpr JsonShape state_fields[] = {{"state", JsonKind::text, state_state},
                                      {"stateInitiator", JsonKind::text, state_initiator_id},
                                      {"failedData", JsonKind::object, state_failed, failed_fields}};
constexpr JsonShape queued_fields[] = {{"name", JsonKind::text, queued_name},
                                       {"createTime", JsonKind::text, queued_time},
                                       {"tpu", JsonKind::object, queued_tpu, queued_tpu_fields},
                                       {"spot", JsonKind::object, tier_spot},
                                       {"guaranteed", JsonKind::object, tier_guaranteed},
                                       {"bestEffort", JsonKind::object, tier_best_effort},  // v2alpha1
                                       {"reservationName", JsonKind::text, queued_reservation},
                                       {"state", JsonKind::object, queued_state, state_fields}};
constexpr JsonShape queued_root = {"", JsonKind::object, queued_object, queued_fields, 2 * sizeof(QueuedResource)};
constexpr JsonShape queued_items_element[] = {queued_root};
constexpr JsonShape queued_places_element[] = {{"", JsonKind::text, queued_place}};
constexpr JsonShape queued_page_fields[] = {{"queuedResources", JsonKind::array, queued_items, queued_items_element},
                                            {"nextPageToken", JsonKind::text, queued_token},
                                            {"unreachable", JsonKind::array, queued_unreachable, queued_places_element}};
constexpr JsonShape queued_page_root = {"", JsonKind::object, queued_page, queued_page_fields};
// clang-format on

constexpr std::int64_t max_slice_count = 65'536;

class QueuedVisitor final : public JsonVisitor {
 public:
  void begin(int id) override {
    switch (id) {
      case queued_items: page.requests.clear(); break;
      case queued_unreachable: page.unreachable.clear(); break;
      case queued_object: page.requests.emplace_back(); break;
      case queued_tpu:
      case queued_specs: request().node_specs.clear(); break;
      case queued_spec: request().node_specs.emplace_back(); break;
      case spec_slices:
        spec().is_multislice = false;
        spec().count = 0;
        spec().prefix.clear();
        break;
      case spec_node:
        spec().accelerator_type.clear();
        spec().runtime_version.clear();
        break;
      case queued_state:
        request().state.clear();
        request().state_initiator.clear();
        clear_error();
        break;
      case state_failed:
      case failed_error: clear_error(); break;
      case failed_details: request().error_reason.clear(); break;
      default: break;
    }
  }

  std::string end(int id) override {
    switch (id) {
      case spec_slices: spec().is_multislice = true; break;
      case tier_spot: request().tier = "spot"; break;
      case tier_guaranteed: request().tier = "guaranteed"; break;
      case tier_best_effort: request().tier = "bestEffort"; break;
      case queued_specs:
        if (node_count(request()) > static_cast<std::size_t>(max_slice_count))
          return fmt::format("asks for more than {} slices in all", max_slice_count);
        break;
      default: break;
    }
    return {};
  }

  std::string text(int id, std::string_view value) override {
    switch (id) {
      case queued_name:
        request().name = value;
        request().id = last_segment(value);
        if (request().id.size() > 256) return "is too long for a name";  // it may be the beginning of many nodes' names
        break;
      case queued_time: request().create_time = value; break;
      case spec_parent: spec().parent = value; break;
      case spec_node_id: spec().node_id = value; return id_complaint(value);
      case slices_prefix: spec().prefix = value; return id_complaint(value);
      case node_type: spec().accelerator_type = value; break;
      case node_runtime: spec().runtime_version = value; break;
      case queued_reservation: request().reservation_name = value; break;
      case state_state: request().state = value; break;
      case state_initiator_id: request().state_initiator = value; break;
      case failed_message: request().error_message = value; break;
      case detail_reason:
        if (request().error_reason.empty()) request().error_reason = value;
        break;
      case queued_token: page.next_page_token = value; break;
      case queued_place: page.unreachable.emplace_back(value); break;
      default: break;
    }
    return {};
  }

  std::string integer(int id, std::optional<std::int64_t> value) override {
    if (id == failed_code) request().error_code = value.value_or(0);
    if (id != slices_count) return {};
    spec().count = value.value_or(0);
    return spec().count < 0 || spec().count > max_slice_count ? fmt::format("is {}, not a number of slices", spec().count) : std::string();
  }

  QueuedResource& request() { return page.requests.back(); }

  QueuedResourcePage page;

 private:
  QueuedResource::NodeSpec& spec() { return request().node_specs.back(); }

  // The names of nodes become part of URLs.
  static std::string id_complaint(std::string_view value) {
    if (value.empty() || is_resource_id(value)) return {};
    return fmt::format("is {}, not the name of a node", quoted(value, 80));
  }

  void clear_error() {
    request().error_code = 0;
    request().error_message.clear();
    request().error_reason.clear();
  }
};

}  // namespace

class QueuedResourceListParser::Impl {
 public:
  explicit Impl(const ParseLimits& limits) : parser("the list of queued resources", queued_page_root, visitor, limits) {}
  QueuedVisitor visitor;
  JsonShapeParser parser;
};

QueuedResourceListParser::QueuedResourceListParser(const ParseLimits& limits) : impl_(std::make_unique<Impl>(limits)) {}
QueuedResourceListParser::~QueuedResourceListParser() = default;
QueuedResourceListParser::QueuedResourceListParser(QueuedResourceListParser&&) noexcept = default;
QueuedResourceListParser& QueuedResourceListParser::operator=(QueuedResourceListParser&&) noexcept = default;

Result<void> QueuedResourceListParser::feed(std::string_view chunk) { return impl_->parser.feed(chunk); }
Result<void> QueuedResourceListParser::finish() { return impl_->parser.finish(); }
QueuedResourcePage& QueuedResourceListParser::page() { return impl_->visitor.page; }

Result<QueuedResourcePage> parse_queued_resource_list(std::string_view json, const ParseLimits& limits) {
  QueuedResourceListParser parser(limits);
  if (Result<void> fed = parser.feed(json); !fed) return fed.error();
  if (Result<void> ended = parser.finish(); !ended) return ended.error();
  return std::move(parser.page());
}

Result<QueuedResource> parse_queued_resource(std::string_view json, const ParseLimits& limits) {
  QueuedVisitor visitor;
  JsonShapeParser parser("the queued resource", queued_root, visitor, limits);
  if (Result<void> fed = parser.feed(json); !fed) return fed.error();
  if (Result<void> ended = parser.finish(); !ended) return ended.error();
  return std::move(visitor.request());
}

std::size_t node_count(const QueuedResource& request) {
  std::size_t count = 0;
  for (const QueuedResource::NodeSpec& spec : request.node_specs) count += spec.is_multislice ? static_cast<std::size_t>(spec.count) : 1;
  return count;
}

std::vector<std::string> node_ids(const QueuedResource& request) {
  std::vector<std::string> ids;
  for (const QueuedResource::NodeSpec& spec : request.node_specs) {
    if (!spec.is_multislice) {
      ids.push_back(spec.node_id);
      continue;
    }
    const std::string& prefix = spec.prefix.empty() ? request.id : spec.prefix;
    for (std::int64_t i = 0; i < spec.count; ++i) ids.push_back(fmt::format("{}-{}", prefix, i));
  }
  return ids;
}

}  // namespace rollcall
