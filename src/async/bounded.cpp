#include "async/bounded.hpp"

#include <algorithm>

namespace rollcall {
namespace {

class BoundedWork {
 public:
  BoundedWork() {}
  std::function<asio::awaitable<Result<void>>(std::size_t)> ask;
  std::size_t count = 0;
  std::size_t next = 0;
};

// One of the workers: takes the next question until there is none.
asio::awaitable<Result<void>> work_through(BoundedWork& work) {
  while (work.next < work.count) {
    const Result<void> answer = co_await work.ask(work.next++);
    if (!answer) co_return answer;
  }
  co_return Result<void>();
}

}  // namespace

asio::awaitable<Result<void>> join_bounded(std::size_t count, std::size_t limit,
                                           std::function<asio::awaitable<Result<void>>(std::size_t)> ask) {
  BoundedWork work;
  work.ask = std::move(ask);
  work.count = count;
  std::vector<asio::awaitable<Result<void>>> workers;
  for (std::size_t i = 0; i < std::min(count, std::max<std::size_t>(limit, 1)); ++i) workers.push_back(work_through(work));
  const Result<void> done = co_await join(std::move(workers));
  co_return done;
}

}  // namespace rollcall
