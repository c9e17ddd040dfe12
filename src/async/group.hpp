// gather and join: children in parallel, each awaited before the frame that owns their results ends; join_bounded: many calls of one kind,
// a bounded number of them at a time.
#pragma once

#include <algorithm>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "async/async_event.hpp"
#include "async/spawn.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// Counts children and passes cancellation on to them; ignores it otherwise, because the results must be awaited.
class ChildGroup {
 public:
  explicit ChildGroup(std::size_t children) : remaining_(children), signals_(children) {}
  asio::cancellation_slot slot(std::size_t i) { return signals_[i].slot(); }
  void cancel(std::size_t i) { signals_[i].emit(asio::cancellation_type::terminal); }
  void cancel_all() {
    for (std::size_t i = 0; i < signals_.size(); ++i) cancel(i);
  }
  /// Cancels the children from the i-th on, each once: when one failure ends thousands of children, each of them calls this again.
  void cancel_from(std::size_t i) {
    const std::size_t end = std::exchange(cancelled_from_, std::min(i, cancelled_from_));
    for (; i < std::min(end, signals_.size()); ++i) cancel(i);
  }
  void on_child_done() {
    if (--remaining_ == 0) event_.wake();
  }
  void keep_exception(std::exception_ptr error) {
    if (!error_) error_ = std::move(error);
  }
  /// The failure of a child that threw. An exception other than a cancellation is kept for wait_all().
  Failure failure_of(std::exception_ptr error);
  /// Suspends until every child is done. A child's exception other than a cancellation is thrown again here.
  asio::awaitable<void> wait_all();

 private:
  std::size_t remaining_;
  std::deque<asio::cancellation_signal> signals_;
  std::size_t cancelled_from_ = std::numeric_limits<std::size_t>::max();
  AsyncEvent event_;
  std::exception_ptr error_;
};

enum class OnFailure {
  keep_going,   ///< gather
  cancel_rest,  ///< join
  cancel_later, ///< those before go on: the first failure in order is the result, as if they had run sequentially
};

/// Every child's result, in order. With cancel_rest the first failure cancels the siblings, which then end with Errc::cancelled. Cancelling
/// the parent cancels all children.
template <class T>
asio::awaitable<std::vector<Result<T>>> gather(std::vector<asio::awaitable<Result<T>>> children,
                                               OnFailure on_failure = OnFailure::keep_going) {
  std::vector<std::optional<Result<T>>> slots(children.size());
  ChildGroup group(children.size());
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  for (std::size_t i = 0; i < children.size(); ++i) {
    auto on_done = [&group, &slot = slots[i], i, on_failure](std::exception_ptr error, Result<T> result) {
      bool has_failed = false;
      if (error) {
        has_failed = true;
        slot.emplace(group.failure_of(std::move(error)));
      } else {
        has_failed = result.has_error();
        slot.emplace(std::move(result));
      }
      if (has_failed && on_failure == OnFailure::cancel_rest) group.cancel_from(0);
      if (has_failed && on_failure == OnFailure::cancel_later) group.cancel_from(i + 1);
      group.on_child_done();
    };
    spawn(executor, std::move(children[i]), group.slot(i), std::move(on_done));
  }
  if (!children.empty()) co_await group.wait_all();
  std::vector<Result<T>> results;
  results.reserve(slots.size());
  for (auto& slot : slots) results.push_back(std::move(*slot));
  co_return results;
}

/// True if `next` replaces the failure that is kept. A cancelled sibling is a consequence: the cause is the first failure that is not a
/// cancellation.
inline bool is_rather_cause(const std::optional<Failure>& kept, const Failure& next) {
  return !kept || (kept->code() == Errc::cancelled && next.code() != Errc::cancelled);
}

/// The failure that caused the others, if any has failed.
template <class T>
std::optional<Failure> first_cause(const std::vector<Result<T>>& results) {
  std::optional<Failure> kept;
  for (const Result<T>& result : results) {
    if (!result.has_error()) continue;
    const Failure failure = result.error();
    if (is_rather_cause(kept, failure)) kept = failure;
  }
  return kept;
}

/// All values, or the first failure in order of time, after which the siblings were cancelled.
template <class T>
asio::awaitable<Result<std::vector<T>>> join(std::vector<asio::awaitable<Result<T>>> children) {
  std::vector<Result<T>> results = co_await gather(std::move(children), OnFailure::cancel_rest);
  std::optional<Failure> failed = first_cause(results);
  if (failed) co_return std::move(*failed);
  std::vector<T> values;
  values.reserve(results.size());
  for (Result<T>& result : results) values.push_back(std::move(*result));
  co_return values;
}

asio::awaitable<Result<void>> join(std::vector<asio::awaitable<Result<void>>> children);

/// The results of ask(0) … ask(count - 1), with at most `limit` of them in parallel. With cancel_later it fails as if they had run
/// sequentially: the first failure in order is the result. With cancel_rest the first in order of time is, as in join(). keep_going is not
/// supported. The limit bounds the number of coroutine frames, too, for any number of calls. HostLimiter bounds the requests in flight to a
/// host over all calls; this bounds one call's memory.
asio::awaitable<Result<void>> join_bounded(std::size_t count, std::size_t limit,
                                           std::function<asio::awaitable<Result<void>>(std::size_t)> ask,
                                           OnFailure on_failure = OnFailure::cancel_later);

template <class T>
asio::awaitable<Result<void>> keep_answer(asio::awaitable<Result<T>> question, std::optional<T>& slot) {
  Result<T> answer = co_await std::move(question);
  if (!answer) co_return answer.error();
  slot.emplace(std::move(*answer));
  co_return Result<void>();
}

/// As above, with the results in order.
template <class T>
asio::awaitable<Result<std::vector<T>>> join_bounded(std::size_t count, std::size_t limit,
                                                     std::function<asio::awaitable<Result<T>>(std::size_t)> ask,
                                                     OnFailure on_failure = OnFailure::cancel_later) {
  std::vector<std::optional<T>> slots(count);
  std::function<asio::awaitable<Result<void>>(std::size_t)> ask_one = [&ask, &slots](std::size_t i) {
    return keep_answer(ask(i), slots[i]);
  };
  const Result<void> done = co_await join_bounded(count, limit, std::move(ask_one), on_failure);
  if (!done) co_return done.error();
  std::vector<T> answers;
  answers.reserve(count);
  for (std::optional<T>& slot : slots) answers.push_back(std::move(*slot));
  co_return answers;
}

}  // namespace rollcall
