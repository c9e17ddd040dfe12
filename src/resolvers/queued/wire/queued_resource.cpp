#include "resolvers/queued/wire/queued_resource.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "google/wire/resource_id.hpp"

namespace rollcall {
namespace {

using NodeSpec = QueuedResource::NodeSpec;

constexpr std::int64_t max_slice_count = 65'536;

std::size_t count_nodes(const std::vector<NodeSpec>& specs) {
  std::size_t count = 0;
  for (const NodeSpec& spec : specs) count += spec.is_multislice ? static_cast<std::size_t>(spec.count) : 1;
  return count;
}

// Names of nodes become part of URLs, hence the check.
std::string id_complaint(std::string_view value) {
  if (value.empty() || is_resource_id(value)) return {};
  return fmt::format("is {}, not the name of a node", quoted(value, 80));
}
std::string count_complaint(std::int64_t count) {
  return count < 0 || count > max_slice_count ? fmt::format("is {}, not a number of slices", count) : std::string();
}
std::string total_complaint(std::vector<NodeSpec>& specs) {
  if (count_nodes(specs) <= static_cast<std::size_t>(max_slice_count)) return {};
  return fmt::format("asks for more than {} slices in all", max_slice_count);
}

void clear_slices(NodeSpec& spec) {
  spec.is_multislice = false;
  spec.count = 0;
  spec.prefix.clear();
}
std::string set_multislice(NodeSpec& spec) {
  spec.is_multislice = true;
  return {};
}
void clear_node(NodeSpec& spec) {
  spec.accelerator_type.clear();
  spec.runtime_version.clear();
}

void clear_specs(QueuedResource& request) { request.node_specs.clear(); }
void clear_reason(QueuedResource& request) { request.error_reason.clear(); }
void clear_error(QueuedResource& request) {
  request.error_code = 0;
  request.error_message.clear();
  request.error_reason.clear();
}
void clear_state(QueuedResource& request) {
  request.state.clear();
  request.state_initiator.clear();
  clear_error(request);
}
std::string set_reason(QueuedResource& request, std::string_view reason) {
  if (request.error_reason.empty()) request.error_reason = reason;
  return {};
}
std::string set_queued_name(QueuedResource& request, std::string_view name) {
  request.name = name;
  request.id = last_segment(name);
  return request.id.size() > 256 ? "is too long for a name" : "";  // it may be the prefix of many nodes' names
}
// The API's name of the field that is present.
template <const auto& name>
std::string set_tier(QueuedResource& request) {
  request.tier = name;
  return {};
}
constexpr std::string_view spot_tier = "spot";
constexpr std::string_view guaranteed_tier = "guaranteed";
constexpr std::string_view best_effort_tier = "bestEffort";  // v2alpha1

// clang-format off
constexpr auto slices_fields = json_object<NodeSpec, set_multislice>(
    integer_field<&NodeSpec::count, count_complaint>("nodeCount"),
    text_field<&NodeSpec::prefix, id_complaint>("nodeIdPrefix"));
constexpr auto spec_node_fields = json_object<NodeSpec>(
    text_field<&NodeSpec::accelerator_type>("acceleratorType"),
    text_field<&NodeSpec::runtime_version>("runtimeVersion"));
constexpr auto node_spec_fields = json_object<NodeSpec>(
    text_field<&NodeSpec::parent>("parent"),
    text_field<&NodeSpec::node_id, id_complaint>("nodeId"),
    inner_field<slices_fields, clear_slices>("multisliceParams"),  // v2
    inner_field<slices_fields, clear_slices>("multiNodeParams"),   // v2alpha1
    inner_field<spec_node_fields, clear_node>("node"));
constexpr auto queued_tpu_fields = json_object<QueuedResource>(
    array_field<&QueuedResource::node_specs, node_spec_fields, total_complaint>("nodeSpec"));

constexpr auto detail_fields = json_object<QueuedResource>(
    text_field<set_reason>("reason"));
constexpr auto error_fields = json_object<QueuedResource>(
    integer_field<&QueuedResource::error_code>("code"),
    text_field<&QueuedResource::error_message>("message"),
    inner_array<detail_fields, clear_reason>("details"));
constexpr auto failed_data_fields = json_object<QueuedResource>(
    inner_field<error_fields, clear_error>("error"));
constexpr auto state_fields = json_object<QueuedResource>(
    text_field<&QueuedResource::state>("state"),
    text_field<&QueuedResource::state_initiator>("stateInitiator"),
    inner_field<failed_data_fields, clear_error>("failedData"));

template <const auto& name>
constexpr auto tier_fields = json_object<QueuedResource, set_tier<name>>();
constexpr auto queued_fields = json_object<QueuedResource>(
    text_field<set_queued_name>("name"),
    text_field<&QueuedResource::create_time>("createTime"),
    inner_field<queued_tpu_fields, clear_specs>("tpu"),
    inner_field<tier_fields<spot_tier>>(spot_tier),
    inner_field<tier_fields<guaranteed_tier>>(guaranteed_tier),
    inner_field<tier_fields<best_effort_tier>>(best_effort_tier),
    text_field<&QueuedResource::reservation_name>("reservationName"),
    inner_field<state_fields, clear_state>("state"));
constexpr auto queued_page_fields = json_object<QueuedResourcePage>(
    array_field<&QueuedResourcePage::requests, queued_fields>("queuedResources"),
    text_field<&QueuedResourcePage::next_page_token>("nextPageToken"),
    text_array<&QueuedResourcePage::unreachable>("unreachable"));
// clang-format on

constexpr JsonForm<QueuedResource> queued_resource_form = json_form<queued_fields>("the queued resource");

}  // namespace

constexpr JsonForm<QueuedResourcePage> queued_resource_list_form = json_form<queued_page_fields>("the list of queued resources");

Result<QueuedResourcePage> parse_queued_resource_list(std::string_view json, const ParseLimits& limits) {
  return read_json(queued_resource_list_form, json, limits);
}
Result<QueuedResource> parse_queued_resource(std::string_view json, const ParseLimits& limits) {
  return read_json(queued_resource_form, json, limits);
}

std::size_t node_count(const QueuedResource& request) { return count_nodes(request.node_specs); }

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
