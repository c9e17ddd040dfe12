// Many like questions, a bounded number of them at a time.
#pragma once

#include <functional>

#include "async/group.hpp"

namespace rollcall {

/// All of ask(0) … ask(count - 1), with at most `limit` of them at a time. Fails as if they had been asked one after the other: a failure
/// cancels those behind it and lets those before it go on, and the first in order is the one that counts. Coroutine frames, too, are
/// bounded by the limit, however many questions there are. HostLimiter bounds what is in flight to a host over all calls;
/// this bounds one call's memory.
asio::awaitable<Result<void>> join_bounded(std::size_t count, std::size_t limit,
                                           std::function<asio::awaitable<Result<void>>(std::size_t)> ask);

template <class T>
asio::awaitable<Result<void>> keep_answer(asio::awaitable<Result<T>> question, std::optional<T>& slot) {
  Result<T> answer = co_await std::move(question);
  if (!answer) co_return answer.error();
  slot.emplace(std::move(*answer));
  co_return Result<void>();
}

/// As above, with the answers in order.
template <class T>
asio::awaitable<Result<std::vector<T>>> join_bounded(std::size_t count, std::size_t limit,
                                                     std::function<asio::awaitable<Result<T>>(std::size_t)> ask) {
  std::vector<std::optional<T>> slots(count);
  std::function<asio::awaitable<Result<void>>(std::size_t)> ask_one = [&ask, &slots](std::size_t i) {
    return keep_answer(ask(i), slots[i]);
  };
  const Result<void> done = co_await join_bounded(count, limit, std::move(ask_one));
  if (!done) co_return done.error();
  std::vector<T> answers;
  answers.reserve(count);
  for (std::optional<T>& slot : slots) answers.push_back(std::move(*slot));
  co_return answers;
}

}  // namespace rollcall
