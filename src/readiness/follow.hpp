// Following by repeated requests: clusters by polling, which every resolver supports, and this machine's announcements by its metadata
// server.
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

/// The status of a cluster that does not exist yet.
ClusterStatus not_there_yet(const Failure& failure);

/// The time-out of a call that follows until it is cancelled.
inline constexpr Duration for_ever = std::chrono::hours(24 * 36500);

/// Options for one request of a long call: at most 30 s, not past the call's deadline, and only the retries that the caller requested.
CallOptions question_options(const Call& call);

/// The failure of a question that was stopped by the deadline of `call`, which asked it.
Failure unanswered(Call& call);

/// The body of ask_together(). `ask` must outlive the await. Questions that the deadline of `call` stops have failed by that: only the
/// caller can be cancelled.
template <class T>
asio::awaitable<Result<std::vector<Result<T>>>> ask_each(Call& call, std::size_t count,
                                                         const std::function<asio::awaitable<Result<T>>(Call&, std::size_t)>& ask) {
  std::vector<asio::awaitable<Result<T>>> questions;
  questions.reserve(count);
  for (std::size_t i = 0; i < count; ++i) questions.push_back(ask(call, i));
  std::vector<Result<T>> answers = co_await gather(std::move(questions));
  if (state_of(call).is_expired) {
    for (Result<T>& answer : answers) {
      if (answer.has_error() && answer.error().code() == Errc::cancelled) answer = unanswered(call);
    }
  }
  co_return std::move(answers);
}

/// False: each TPU is looked up by a request of its own.
inline bool may_share_lists(const Call& call) { return call.options().get<TpuCallOptions>().lookup() != TpuLookup::each; }

/// One poll of many clusters within a long call: runs `ask(inner, i)` for each i below `count`, concurrently in one call with
/// question_options(). From four TPUs of one zone on they share its list. Returns every answer, in order. An exception of `ask`, other
/// than a cancellation, is thrown. Cancellable. Errors: cancelled, if the call could not begin [facts: tpu-quota].
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

/// A polled cluster and the observer of its answers. Both must outlive the following.
class Polled {
 public:
  Polled(ClusterResolver& cluster, StatusObserver& to) : resolver(&cluster), observer(&to) {}
  ClusterResolver* resolver;
  StatusObserver* observer;
  ClusterStatus last;
  PollPatience patience;
};

/// Reports the answer to a poll that began at `began`, as follow_by_polling() does. Returns the failure that ends following, if any.
std::optional<Failure> take_poll(Polled& cluster, Result<ClusterStatus> answer, SteadyTime began);

/// Polls all clusters in one call, so that four and more TPUs of one zone share its list, and repeats that by `pace`. Reports every
/// answer. Ends only with a failure that PollPatience treats as final.
asio::awaitable<Result<void>> follow_by_polling(Call& call, std::vector<Polled> clusters, PollPace pace = PollPace());

/// Waits at the metadata server (wait_for_change) for `instance/preempted` and `instance/maintenance-event`, each by its own long poll,
/// and reports their values. Ends without a failure if there is no metadata server; otherwise only when cancelled.
/// [facts: metadata-wait, metadata-notices]
asio::awaitable<Result<void>> follow_machine_notices(Call& call, StatusObserver& observer);

}  // namespace rollcall
