// The objects around a pod: nodes, Kueue's workloads, pod groups, claims, quotas, pods, single events. All readers get the same bytes.
#include "check.hpp"
#include "resolvers/kubernetes/access/wire/access_review.hpp"
#include "resolvers/kubernetes/chain/rules/gang_rules.hpp"
#include "resolvers/kubernetes/chain/rules/node_rules.hpp"
#include "resolvers/kubernetes/chain/rules/queue_rules.hpp"
#include "resolvers/kubernetes/chain/wire/event_line.hpp"
#include "resolvers/kubernetes/chain/wire/largest_nodes.hpp"
#include "resolvers/kubernetes/chain/wire/node_facts.hpp"
#include "resolvers/kubernetes/chain/wire/queue_workload.hpp"
#include "resolvers/kubernetes/chain/wire/stuck_pod.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ParseLimits limits;
  const auto require_short = [](const std::vector<Cause>& causes) {
    for (const Cause& cause : causes) require(cause.code.size() < 600 && cause.text.size() < 3000);
  };
  const Result<NodeFacts> node = parse_node(text, limits);
  require_sane(node);
  if (node) require_short(judge_node(*node).causes);
  const Result<std::vector<QueueWorkload>> workloads = parse_queue_workloads(text, limits);
  require_sane(workloads);
  if (workloads) {
    for (const QueueWorkload& one : *workloads) require_short(queue_causes(one));
  }
  const Result<PodGroup> group = parse_pod_group(text, limits);
  require_sane(group);
  if (group) require_short(gang_causes(*group));
  LargestNodes largest;
  require_sane(add_nodes(largest, text, limits));
  require_sane(parse_event_line(text, limits));
  require_sane(parse_stuck_pod(text, limits));
  require_sane(parse_volume_claim(text, limits));
  require_sane(parse_full_quotas(text, limits));
  require_sane(parse_object(text, limits));
  require_sane(parse_preferred_version(text, limits));
  require_sane(parse_local_queue_fault(text, limits));
  const Result<AccessRules> rules = parse_access_rules(text, limits);
  require_sane(rules);
  if (rules) rules->allows("get", "", "nodes");
  return 0;
}
