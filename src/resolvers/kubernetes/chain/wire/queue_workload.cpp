#include "resolvers/kubernetes/chain/wire/queue_workload.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_workloads = 100;
constexpr std::size_t max_checks = 100;

QueueWorkload queue_workload_of(const boost::json::value& document) {
  QueueWorkload workload;
  workload.object = object_of(document);
  workload.conditions = conditions_at(document);
  if (const boost::json::value* const spec = find(document, "spec")) {
    workload.local_queue = text_at(*spec, "queueName");
    const boost::json::value* const active = find(*spec, "active");
    workload.is_active = !active || !active->is_bool() || active->get_bool();
  }
  const boost::json::value* const status = find(document, "status");
  if (!status) return workload;
  workload.cluster_queue = text_at(*status, "admission", "clusterQueue", max_name_text);
  if (const boost::json::value* const requeue = find(*status, "requeueState")) workload.requeue_at = time_at(*requeue, "requeueAt");
  const boost::json::array* const checks = array_at(*status, "admissionChecks");
  for (std::size_t i = 0; checks && i < std::min(checks->size(), max_checks); ++i) {
    AdmissionCheck& check = workload.checks.emplace_back();
    check.name = text_at((*checks)[i], "name");
    check.state = text_at((*checks)[i], "state", 32);
    check.message = text_at((*checks)[i], "message", max_cause_text);
    check.since = time_at((*checks)[i], "lastTransitionTime");
  }
  const boost::json::array* const nodes = array_at(*status, "unhealthyNodes");
  for (std::size_t i = 0; nodes && i < std::min(nodes->size(), max_checks); ++i) {
    if (std::string name = text_at((*nodes)[i], "name"); !name.empty()) workload.unhealthy_nodes.push_back(std::move(name));
  }
  return workload;
}

}  // namespace

Result<std::vector<QueueWorkload>> parse_queue_workloads(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the list of Kueue's workloads", json, limits);
  if (!document) return document.error();
  const boost::json::array* const items = array_at(document->root(), "items");
  if (!items) return Failure(Errc::malformed_response, "the list of Kueue's workloads has no items");
  std::vector<QueueWorkload> workloads;
  for (std::size_t i = 0; i < std::min(items->size(), max_workloads); ++i) workloads.push_back(queue_workload_of((*items)[i]));
  return workloads;
}

Result<std::string> parse_preferred_version(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the API group", json, limits);
  if (!document) return document.error();
  std::string version = text_at(document->root(), "preferredVersion", "version", 63);
  const bool is_plain = std::all_of(version.begin(), version.end(), [](char c) { return is_lower(c) || is_digit(c); });
  if (!is_plain) return Failure(Errc::malformed_response, fmt::format("the API group: {} is no version", quoted(version, 64)));
  return version;
}

Result<std::optional<KubeCondition>> parse_local_queue_fault(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the local queue", json, limits);
  if (!document) return document.error();
  const std::vector<KubeCondition> conditions = conditions_at(document->root());
  const KubeCondition* const active = find_condition(conditions, "Active");
  std::optional<KubeCondition> fault;
  if (active && active->is_false()) fault = *active;
  const std::string policy = text_at(document->root(), "spec", "stopPolicy", 32);
  if (fault || policy.empty() || policy == "None") return fault;
  fault.emplace();
  fault->reason = policy;
  fault->message = "the queue is stopped";
  return fault;
}

}  // namespace rollcall
