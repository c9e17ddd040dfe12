#include "sim/tpu/queued_resource.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

// The member of QueuedResourceState that goes with a state; none for those that have none.
std::string_view data_key(std::string_view state) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> keys = {{{"CREATING", "creatingData"},
                                                                                         {"ACCEPTED", "acceptedData"},
                                                                                         {"PROVISIONING", "provisioningData"},
                                                                                         {"FAILED", "failedData"},
                                                                                         {"DELETING", "deletingData"},
                                                                                         {"ACTIVE", "activeData"},
                                                                                         {"SUSPENDING", "suspendingData"},
                                                                                         {"SUSPENDED", "suspendedData"}}};
  for (const auto& [name, key] : keys) {
    if (name == state) return key;
  }
  return {};
}

json::object state_json(const QueuedMoment& moment) {
  json::object out;
  out["state"] = moment.state;
  if (const std::string_view key = data_key(moment.state); !key.empty()) {
    json::object data;
    if (!moment.error.empty()) data["error"] = moment.error;
    out[key] = std::move(data);
  }
  if (!moment.initiator.empty()) out["stateInitiator"] = moment.initiator;
  return out;
}

json::object tpu_json(const QueuedModel& request, bool is_alpha) {
  json::object spec;
  spec["parent"] = request.location();
  if (request.slices == 0) {
    spec["nodeId"] = request.node_id;
  } else {
    json::object slices;
    slices["nodeCount"] = request.slices;
    slices["nodeIdPrefix"] = request.prefix;
    if (is_alpha) slices["workloadType"] = "THROUGHPUT_OPTIMIZED";
    spec[is_alpha ? "multiNodeParams" : "multisliceParams"] = std::move(slices);
  }
  spec["node"] = request.node;
  json::array specs;
  specs.push_back(std::move(spec));
  json::object out;
  out["nodeSpec"] = std::move(specs);
  return out;
}

}  // namespace

json::object queued_json(const QueuedModel& request, const QueuedMoment& moment, std::string_view version, std::string_view start_time) {
  const bool is_alpha = version == "v2alpha1";
  json::object out;
  out["name"] = request.full_name();
  out["createTime"] = request.create_time.empty() ? start_time : std::string_view(request.create_time);
  out["tpu"] = tpu_json(request, is_alpha);
  if (request.is_spot) out["spot"] = json::object();
  if (request.is_best_effort && is_alpha) out["bestEffort"] = json::object();
  if (request.guaranteed) {
    json::object guaranteed = *request.guaranteed;
    if (is_alpha && !request.reservation_name.empty()) guaranteed["reserved"] = true;
    out["guaranteed"] = std::move(guaranteed);
  }
  if (!request.queueing_policy.empty()) out["queueingPolicy"] = request.queueing_policy;
  out["state"] = state_json(moment);
  if (!request.reservation_name.empty()) out["reservationName"] = request.reservation_name;
  apply_raw(out, moment.raw);
  return out;
}

std::string queued_schema(std::string_view version) {
  const bool is_alpha = version == "v2alpha1";
  return fmt::format(
      "name,createTime,tpu(nodeSpec(parent,nodeId,{},node/*)),spot,{}guaranteed/*,queueingPolicy/*,"
      "state(state,creatingData,acceptedData,provisioningData,failedData(error/*),deletingData,activeData,suspendingData,suspendedData,"
      "stateInitiator),reservationName",
      is_alpha ? "multiNodeParams(nodeCount,nodeIdPrefix,workloadType)" : "multisliceParams(nodeCount,nodeIdPrefix)",
      is_alpha ? "bestEffort," : "");
}

}  // namespace rollcall::sim
