#include "resolvers/kubernetes/chain/rules/queue_rules.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/timestamp.hpp"

namespace rollcall {
namespace {

class QueueJudge {
 public:
  explicit QueueJudge(const QueueWorkload& workload) : workload_(workload) {}

  std::vector<Cause> judge() {
    if (is_true("Finished")) return {};
    const KubeCondition* const evicted = find_condition(workload_.conditions, "Evicted");
    const bool is_evicted = evicted && evicted->is_true();
    if (!workload_.is_active) {
      const bool has_words = is_evicted && !evicted->message.empty();
      Cause& cause = add(is_evicted && !evicted->reason.empty() ? evicted->reason : "Deactivated",
                         has_words ? evicted->message : "it is switched off (spec.active: false)");
      cause.since = is_evicted ? evicted->since : std::nullopt;
      cause.is_final = true;
      return std::move(causes_);
    }
    if (is_true("Admitted")) return {};
    if (is_evicted) add(evicted->reason.empty() ? "Evicted" : evicted->reason, evicted->message).since = evicted->since;
    judge_quota();
    if (workload_.requeue_at) add("Requeued", "it is queued again at " + format_rfc3339(*workload_.requeue_at));
    return std::move(causes_);
  }

 private:
  bool is_true(std::string_view type) const {
    const KubeCondition* const condition = find_condition(workload_.conditions, type);
    return condition && condition->is_true();
  }

  Cause& add(std::string_view code, std::string text) {
    return causes_.emplace_back(CauseLayer::queue, std::string(code), std::move(text), queue_label());
  }

  std::string queue_label() const {
    if (!workload_.cluster_queue.empty()) return "ClusterQueue " + workload_.cluster_queue;
    return workload_.local_queue.empty() ? workload_.object.label() : "LocalQueue " + workload_.local_queue;
  }

  void judge_quota() {
    const KubeCondition* const quota = find_condition(workload_.conditions, "QuotaReserved");
    if (!quota) {
      if (causes_.empty()) add("Pending", "the queue has not looked at it yet").since = workload_.object.created;
    } else if (quota->is_true()) {
      judge_checks();
    } else if (causes_.empty() || causes_.back().text != quota->message) {
      Cause& cause = add(quota->reason.empty() ? "Pending" : quota->reason, quota->message);
      cause.since = quota->since;
      cause.is_final = quota->reason == "ExceedsMaxQuota" || quota->message.find("> maximum capacity") != std::string::npos;
    }
  }

  void judge_checks() {
    const std::size_t before = causes_.size();
    for (const AdmissionCheck& check : workload_.checks) {
      if (check.state == "Ready") continue;
      Cause& cause = causes_.emplace_back(CauseLayer::queue, check.state.empty() ? "Pending" : check.state, check.message,
                                          "AdmissionCheck " + check.name);
      cause.since = check.since;
      cause.is_final = check.state == "Rejected";
    }
    if (causes_.size() == before) add("NotAdmitted", "quota is reserved, and it is not admitted yet");
  }

  const QueueWorkload& workload_;
  std::vector<Cause> causes_;
};

}  // namespace

std::vector<Cause> queue_causes(const QueueWorkload& workload) { return QueueJudge(workload).judge(); }

}  // namespace rollcall
