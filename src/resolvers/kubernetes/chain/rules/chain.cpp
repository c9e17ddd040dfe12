#include "resolvers/kubernetes/chain/rules/chain.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "resolvers/kubernetes/chain/rules/chain_layers.hpp"
#include "resolvers/kubernetes/chain/rules/gang_rules.hpp"
#include "resolvers/kubernetes/chain/rules/node_rules.hpp"
#include "resolvers/kubernetes/chain/rules/queue_rules.hpp"

namespace rollcall {
namespace {

using chain_detail::add_cause;
using chain_detail::has_layer;

bool is_ready_member(const Member& member) { return member.state.level == MemberState::ready && member.health.level == MemberState::ready; }

// The reason of a gang stands in one of its pods only: the others wait for that one, and which one it is changes.
void name_reason_of_gang(std::vector<Member>& members) {
  constexpr std::string_view waits = "waiting for minCount pods from a gang";
  const auto schedule_of = [](Member& member) -> Cause* {
    const auto found = std::find_if(member.causes.begin(), member.causes.end(), [](const Cause& one) {
      return one.layer == CauseLayer::schedule && !one.object.starts_with("PodGroup ");
    });
    return found == member.causes.end() ? nullptr : &*found;
  };
  const Member* reason_of = nullptr;
  Cause reason;
  bool has_waiting = false;
  for (Member& member : members) {
    const Cause* const cause = schedule_of(member);
    if (!cause) continue;
    if (cause->text.find(waits) != std::string::npos) {
      has_waiting = true;
    } else if (!reason_of) {
      reason_of = &member;
      reason = *cause;
    }
  }
  if (!has_waiting || !reason_of) return;
  reason.object = reason_of->label();
  for (Member& member : members) {
    const Cause* const cause = schedule_of(member);
    if (!cause || cause->text.find(waits) == std::string::npos) continue;
    const auto place = member.causes.begin() + (cause - member.causes.data());
    member.causes.insert(place, reason);
  }
}

class Explainer {
 public:
  Explainer(ClusterStatus& status, const ChainFacts& facts) : status_(status), facts_(facts) {
    for (const auto& [name, node] : facts.nodes) nodes_.emplace(name, judge_node(node));
  }

  void explain() {
    bool is_all_ready = status_.state.level == MemberState::ready;
    for (Member& member : status_.members) {
      const bool is_ready = is_ready_member(member);
      is_all_ready = is_all_ready && is_ready;
      add_node(member);
      if (is_ready) continue;
      chain_detail::explain_start(member, facts_);
      chain_detail::explain_place(member, facts_);
      chain_detail::explain_gang(member, facts_);
      chain_detail::explain_rest(member, facts_);
    }
    name_reason_of_gang(status_.members);
    for (Member& member : status_.members) chain_detail::put_in_order(member.causes);
    if (is_all_ready && !status_.members.empty() && status_.expected <= static_cast<int>(status_.members.size())) return;
    explain_queue();
    for (const PodGroup& group : facts_.groups) {
      for (Cause& cause : gang_causes(group)) add_cause(status_.causes, std::move(cause));  // of members that do not exist yet
    }
    explain_creation();
    for (const Cause& cause : facts_.stage_causes) add_cause(status_.causes, cause);
    chain_detail::put_in_order(status_.causes);
  }

 private:
  // The pods on a node whose kubelet is silent stay "Running".
  void add_node(Member& member) {
    const auto found = nodes_.find(member.host);
    if (found == nodes_.end()) return;
    const NodeVerdict& node = found->second;
    if (member.state.level == MemberState::lost && member.causes.empty()) return;  // it is not known whether that is final
    if (node.is_down) {  // the node itself says more than its silence
      std::erase_if(member.causes, [](const Cause& one) { return one.layer == CauseLayer::node && one.code == "NodeNotReady"; });
    }
    for (const Cause& cause : node.causes) add_cause(member.causes, cause);
    if (!node.is_down || !is_ready_member(member)) return;
    member.health = Condition(MemberState::waiting, "Running, its node " + node.causes.front().code);
  }

  void explain_queue() {
    for (const QueueWorkload& workload : facts_.workloads) {
      const std::vector<Cause> causes = queue_causes(workload);
      for (const Cause& cause : causes) add_cause(status_.causes, cause);
      const auto fault = facts_.queue_faults.find(workload.local_queue);
      if (causes.empty() || fault == facts_.queue_faults.end()) continue;
      Cause cause(CauseLayer::queue, fault->second.reason, fault->second.message, "LocalQueue " + workload.local_queue);
      cause.since = fault->second.since;
      add_cause(status_.causes, std::move(cause));
    }
    for (const KubeObject& root : facts_.absent_roots) {
      if (status_.members.empty() && !has_layer(status_.causes, CauseLayer::workload))
        status_.causes.emplace_back(CauseLayer::workload, "NotFound",
                                    "there is no " + root.label() + " in namespace " + root.namespace_name, "");
    }
    const KubeObject* suspended = nullptr;
    for (const KubeObject& owner : facts_.owners) {
      if (owner.is_suspended) suspended = &owner;  // the owners come before theirs: the last is the topmost
    }
    if (!suspended) return;
    const bool is_named =
        has_layer(status_.causes, CauseLayer::workload) ||
        std::any_of(status_.causes.begin(), status_.causes.end(), [](const Cause& one) { return one.code == "Suspended"; });
    if (!is_named) {
      const std::string why =
          suspended->queue.empty() ? "it is suspended, and no queue is named" : "it is suspended until its queue admits it";
      status_.causes.emplace_back(CauseLayer::workload, "Suspended", why, suspended->label());
    }
    const bool has_queue_words = std::any_of(status_.causes.begin(), status_.causes.end(), [](const Cause& one) {
      return one.layer == CauseLayer::queue && one.code != "Suspended";  // that it is suspended says the workload itself
    });
    if (suspended->queue.empty() || has_queue_words) return;
    const std::string queue = "LocalQueue " + suspended->queue;
    if (facts_.is_kueue_absent) {
      status_.causes.emplace_back(CauseLayer::queue, "NoQueue", "a queue is named, and the cluster has no Kueue", queue);
    } else if (facts_.has_queues && facts_.workloads.empty()) {
      status_.causes.emplace_back(CauseLayer::queue, "NoWorkload",
                                  "Kueue has made no Workload for it: it does not run, or it leaves this namespace out", queue);
    } else if (!facts_.workloads.empty()) {
      status_.causes.emplace_back(CauseLayer::queue, "Admitted", "the queue has admitted it, and it is suspended all the same", queue);
    }
  }

  // Events on what creates the pods; only those say why a pod could not be created.
  void explain_creation() {
    const auto existing = static_cast<int>(status_.members.size());
    const bool is_missing = status_.expected > existing || existing == 0;
    if (!is_missing) return;
    for (const KubeObject& owner : facts_.owners) {
      for (const std::string_view reason :
           {"FailedCreate", "JobCreationFailed", "HeadlessServiceCreationFailed", "ExclusivePlacementViolation"}) {
        const KubeEvent* const event = facts_.events.find(owner.uid, reason);
        if (event) add_cause(status_.causes, chain_detail::creation_cause(*event, facts_.quotas));
      }
      // What a condition of it has said already.
      if (has_layer(status_.causes, CauseLayer::creation)) continue;
      for (const std::string_view reason : {"FailedCreatePod", "FailedToCreateHeadPod", "FailedToCreateWorkerPod"}) {
        const KubeEvent* const event = facts_.events.find(owner.uid, reason);
        if (event) add_cause(status_.causes, chain_detail::creation_cause(*event, facts_.quotas));
      }
    }
    explain_by_warnings();
    if (facts_.has_events || has_layer(status_.causes, CauseLayer::creation) || !status_.causes.empty()) return;
    for (const FullQuota& quota : facts_.quotas) {
      status_.causes.emplace_back(
          CauseLayer::creation, "QuotaUsedUp",
          quota.resource + ": " + quota.used + " of " + quota.hard + " are used; this may be why members are missing",
          "ResourceQuota " + quota.quota);
    }
  }

  // A controller that cannot make the pods, or what makes them, has a word of its own for it: MPIJobFailed, InvalidRayJobSpec. It says so
  // again at intervals of up to a quarter of an hour. A pod among the owners is the leader of a group, and a member.
  void explain_by_warnings() {
    const bool is_explained = std::any_of(status_.causes.begin(), status_.causes.end(), [](const Cause& one) {
      return one.is_final || one.layer == CauseLayer::queue || one.layer == CauseLayer::creation;
    });
    if (is_explained) return;
    for (const KubeObject& owner : facts_.owners) {
      const KubeEvent* const event = owner.kind == "Pod" ? nullptr : chain_detail::latest_warning(facts_, owner.uid, std::chrono::hours(1));
      if (event) add_cause(status_.causes, chain_detail::creation_cause(*event, facts_.quotas));
    }
  }

  ClusterStatus& status_;
  const ChainFacts& facts_;
  std::map<std::string, NodeVerdict, std::less<>> nodes_;
};

}  // namespace

void explain(ClusterStatus& status, const ChainFacts& facts) { Explainer(status, facts).explain(); }

}  // namespace rollcall
