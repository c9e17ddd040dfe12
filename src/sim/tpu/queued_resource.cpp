// Queued resources, single and in lists, in each version of the Cloud TPU API.
#include <fmt/format.h>

#include <array>

#include "sim/model/model.hpp"
#include "sim/tpu/tpu_api.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

json::object state_json(const QueuedMoment& moment) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> data_keys = {{{"CREATING", "creatingData"},
                                                                                              {"ACCEPTED", "acceptedData"},
                                                                                              {"PROVISIONING", "provisioningData"},
                                                                                              {"FAILED", "failedData"},
                                                                                              {"DELETING", "deletingData"},
                                                                                              {"ACTIVE", "activeData"},
                                                                                              {"SUSPENDING", "suspendingData"},
                                                                                              {"SUSPENDED", "suspendedData"}}};
  json::object out{{"state", moment.state}};
  for (const auto& [state, key] : data_keys) {
    if (state == moment.state) out[key] = moment.error.empty() ? json::object() : json::object{{"error", moment.error}};
  }
  put(out, "stateInitiator", moment.initiator);
  return out;
}

json::object tpu_json(const QueuedModel& request, bool is_alpha) {
  json::object spec{{"parent", request.location()}};
  if (request.slices == 0) {
    spec["nodeId"] = request.node_id;
  } else {
    json::object slices{{"nodeCount", request.slices}, {"nodeIdPrefix", request.prefix}};
    if (is_alpha) slices["workloadType"] = "THROUGHPUT_OPTIMIZED";
    spec[is_alpha ? "multiNodeParams" : "multisliceParams"] = std::move(slices);
  }
  spec["node"] = request.node;
  return {{"nodeSpec", json::array{std::move(spec)}}};
}

// proto3 JSON. v2 and v2alpha1 differ in the names of the slices' parameters and in the tiers. Source:
// google/cloud/tpu/{v2,v2alpha1}/cloud_tpu.proto.
json::object queued_json(const QueuedModel& request, const QueuedMoment& moment, std::string_view version, std::string_view start_time) {
  const bool is_alpha = version == "v2alpha1";
  json::object out{{"name", request.full_name()},
                   {"createTime", request.create_time.empty() ? start_time : std::string_view(request.create_time)},
                   {"tpu", tpu_json(request, is_alpha)}};
  if (request.is_spot) out["spot"] = json::object();
  if (request.is_best_effort && is_alpha) out["bestEffort"] = json::object();
  if (request.guaranteed) {
    json::object guaranteed = *request.guaranteed;
    if (is_alpha && !request.reservation_name.empty()) guaranteed["reserved"] = true;
    out["guaranteed"] = std::move(guaranteed);
  }
  put(out, "queueingPolicy", request.queueing_policy);
  out["state"] = state_json(moment);
  put(out, "reservationName", request.reservation_name);
  apply_raw(out, moment.raw);
  return out;
}

// The fields of that version, as a field mask.
std::string queued_schema(std::string_view version) {
  const bool is_alpha = version == "v2alpha1";
  return fmt::format(
      "name,createTime,tpu(nodeSpec(parent,nodeId,{},node/*)),spot,{}guaranteed/*,queueingPolicy/*,"
      "state(state,creatingData,acceptedData,provisioningData,failedData(error/*),deletingData,activeData,suspendingData,suspendedData,"
      "stateInitiator),reservationName",
      is_alpha ? "multiNodeParams(nodeCount,nodeIdPrefix,workloadType)" : "multisliceParams(nodeCount,nodeIdPrefix)",
      is_alpha ? "bestEffort," : "");
}

}  // namespace

Reply answer_queued_resources(const Context& context, const Route& route, const ParsedTarget& target) {
  const auto show = [&](const QueuedModel& request, const QueuedMoment& moment) {
    return queued_json(request, moment, route.version, context.model.start_time);
  };
  return answer_things(context, route, target, context.model.queued, queued_schema(route.version), show);
}

}  // namespace rollcall::sim
