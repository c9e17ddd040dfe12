#include "command/process/restart_rule.hpp"

#include "rollcall/retry_policy.hpp"

namespace rollcall::command {

NextStep RestartRule::judge(const RunEnd& end) const {
  if (end.is_signalled_from_outside) return NextStep::end;
  // The job continues on the machine that replaces this one; do not restart on a machine that is about to disappear.
  if (end.stopped_for == StopReason::own_machine_lost) return NextStep::give_up;
  if (end.stopped_for != StopReason::none) return NextStep::restart;
  if (end.status == 0) return NextStep::end;
  if (on_lost_ && end.poll == ClusterCheck::not_yet) return NextStep::poll;
  const bool is_lost = on_lost_ && end.poll == ClusterCheck::lost;
  return is_lost || on_failed_ ? NextStep::restart : NextStep::end;
}

RestartDecision RestartRule::after(const RunEnd& end, const std::function<double()>& uniform) {
  const NextStep step = judge(end);
  if (step != NextStep::restart) return step;
  if (end.ran >= long_run) counted_ = 0;
  const bool counts = end.stopped_for != StopReason::cluster_grown;
  const RetryPolicy policy = RetryPolicy().max_retries(counts ? max_restarts_ : counted_ + 1).base_delay(first_pause).max_delay(max_pause);
  const RetryDecision again = policy.next(AttemptClass::transient, counted_, {}, SteadyTime(), SteadyTime::max(), uniform);
  if (!again.retry) return NextStep::give_up;
  ++restarts_;
  if (counts) ++counted_;
  return RestartDecision(NextStep::restart, again.delay);
}

}  // namespace rollcall::command
