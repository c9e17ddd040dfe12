// Many like questions, a bounded number of them at a time.
#pragma once

#include <algorithm>
#include <functional>

#include "async/group.hpp"

namespace rollcall {

template <class T>
class BoundedWork {
 public:
  std::function<asio::awaitable<Result<T>>(std::size_t)> ask;
  std::vector<std::optional<T>> answers;
  std::size_t next = 0;
};

/// One of the workers of join_bounded(): takes the next question until there is none.
template <class T>
asio::awaitable<Result<bool>> work_through(BoundedWork<T>& work) {
  while (work.next < work.answers.size()) {
    const std::size_t mine = work.next++;
    Result<T> answer = co_await work.ask(mine);
    if (!answer) co_return answer.error();
    work.answers[mine].emplace(std::move(*answer));
  }
  co_return true;
}

/// As join() of ask(0) … ask(count - 1), with at most `limit` of them at a time: coroutine frames, too, are bounded by the limit, however
/// many questions there are. A place in a host's queue (HostGate) bounds what is in flight over all calls; this bounds one call's memory.
template <class T>
asio::awaitable<Result<std::vector<T>>> join_bounded(std::size_t count, std::size_t limit,
                                                     std::function<asio::awaitable<Result<T>>(std::size_t)> ask) {
  BoundedWork<T> work;
  work.ask = std::move(ask);
  work.answers.resize(count);
  std::vector<asio::awaitable<Result<bool>>> workers;
  for (std::size_t i = 0; i < std::min(count, std::max<std::size_t>(limit, 1)); ++i) workers.push_back(work_through(work));
  const Result<std::vector<bool>> done = co_await join(std::move(workers));
  if (!done) co_return done.error();
  std::vector<T> answers;
  answers.reserve(count);
  for (std::optional<T>& answer : work.answers) answers.push_back(std::move(*answer));
  co_return answers;
}

}  // namespace rollcall
