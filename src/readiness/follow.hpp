// Following without being told of changes: clusters, by asking again and again, which every resolver can do; and this machine, by asking
// its metadata server what it announces.
#pragma once

#include <functional>
#include <vector>

#include "async/group.hpp"
#include "call/call_scope.hpp"
#include "readiness/rules/poll_pace.hpp"
#include "readiness/rules/what_ends.hpp"
#include "rollcall/call.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/tpu_call.hpp"

namespace rollcall {

/// What does not exist yet, as a status.
ClusterStatus not_there_yet(const Failure& failure);

/// The time-out of a call that follows something until it is cancelled.
inline constexpr Duration for_ever = std::chrono::hours(24 * 36500);

/// Options for one of the questions of a long call: 30 s at most, not past the call's deadline; no retries but those that the caller
/// asked for.
CallOptions question_options(const Call& call);

/// The inside of ask_together(). `ask` must outlive the await.
template <class T>
asio::awaitable<Result<std::vector<Result<T>>>> ask_each(Call& call, std::size_t count,
                                                         const std::function<asio::awaitable<Result<T>>(Call&, std::size_t)>& ask) {
  std::vector<asio::awaitable<Result<T>>> questions;
  questions.reserve(count);
  for (std::size_t i = 0; i < count; ++i) questions.push_back(ask(call, i));
  co_return co_await gather(std::move(questions));
}

/// False: each TPU is looked up by a request of its own.
inline bool may_share_lists(const Call& call) { return call.options().get<TpuCallOptions>().lookup() != TpuLookup::each; }

/// One look at many clusters, as part of a call that looks again and again: `ask(inner, i)` for each i below `count`, side by side within
/// one call with question_options(), in which from four on TPUs of one zone share its list. Every answer, in order; what `ask` throws, a
/// cancellation apart, is thrown. Cancellable. Errors: cancelled, when the call could not begin [facts: tpu-quota].
template <class T>
asio::awaitable<Result<std::vector<Result<T>>>> ask_together(Call& call, std::size_t count, CallSubject subject,
                                                             std::function<asio::awaitable<Result<T>>(Call&, std::size_t)> ask) {
  CallOptions options = question_options(call);
  if (count >= enough_for_a_list) options.with(options.get<TpuCallOptions>().lookup(TpuLookup::list));
  auto script = [count, ask = std::move(ask), until = call.deadline()](Call& inner) {
    state_of(inner).asked_again_until = until;
    return ask_each<T>(inner, count, ask);
  };
  return run_call<std::vector<Result<T>>>(impl_of(call).shared_from_this(), std::move(options), std::move(subject), std::move(script));
}

/// A cluster that is asked for, and where the answers go. Both outlive the following.
class Polled {
 public:
  Polled(ClusterResolver& cluster, StatusObserver& to) : resolver(&cluster), feed(&to) {}
  ClusterResolver* resolver;
  StatusObserver* feed;
  ClusterStatus last;
  PollPatience patience;
};

/// Reports the answer to a look that began then, as follow_by_polling() does. The failure that ends following, if it is one.
std::optional<Failure> take_poll(Polled& cluster, Result<ClusterStatus> answer, SteadyTime began);

/// Asks for all of them at once, in one call, so that four and more TPUs of one zone share its list; then again by PollPace. Reports every
/// answer. Ends only with a failure that PollPatience takes for an end.
asio::awaitable<Result<void>> follow_by_polling(Call& call, std::vector<Polled> clusters);

/// Waits at the metadata server (wait_for_change) for `instance/preempted` and `instance/maintenance-event`, each by a long poll of its
/// own, and reports what they say. Ends without a failure where there is no metadata server; otherwise only when cancelled.
/// [facts: metadata-wait, metadata-notices]
asio::awaitable<Result<void>> follow_machine_notices(Call& call, StatusObserver& feed);

}  // namespace rollcall
