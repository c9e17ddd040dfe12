#include "readiness/status_turns.hpp"

#include <algorithm>
#include <utility>

#include "async/turns.hpp"

namespace rollcall {

asio::awaitable<bool> is_same_status(const ClusterStatus& a, const ClusterStatus& b) {
  constexpr std::size_t piece = 4 * steps_a_turn;
  const bool is_same_otherwise = a.phase == b.phase && a.state == b.state && a.jobs == b.jobs && a.expected == b.expected &&
                                 a.notices == b.notices && a.members.size() == b.members.size();
  if (!is_same_otherwise) co_return false;
  const std::size_t size = a.members.size();
  for (std::size_t start = 0; start < size; start += piece) {
    const auto first = a.members.begin() + static_cast<std::ptrdiff_t>(start);
    const auto last = a.members.begin() + static_cast<std::ptrdiff_t>(std::min(start + piece, size));
    if (!std::equal(first, last, b.members.begin() + static_cast<std::ptrdiff_t>(start))) co_return false;
    if (start + piece < size) co_await next_turn();
  }
  co_return true;
}

asio::awaitable<void> replace_status(ClusterStatus& status, ClusterStatus next) {
  std::swap(status, next);
  co_await discard_in_turns(std::move(next.members));
}

}  // namespace rollcall
