// Processes long lists in pieces, so that the loop is not blocked.
#pragma once

#include <algorithm>
#include <asio/awaitable.hpp>
#include <iterator>
#include <vector>

#include "async/async_event.hpp"
#include "base/order.hpp"

namespace rollcall {

/// How many members, pods or parts of a cluster are processed in one turn: some take microseconds each.
constexpr std::size_t steps_a_turn = 1024;

/// Sorts by `less`, a strict order, a few thousand items a turn; suspends only for longer lists. Equal items keep their order.
template <class T, class Less>
asio::awaitable<void> sort_in_turns(std::vector<T>& items, Less less) {
  constexpr std::size_t piece = 4 * steps_a_turn;
  if (std::is_sorted(items.begin(), items.end(), less)) co_return;
  const std::size_t size = items.size();
  const auto at = [&items](std::size_t place) { return items.begin() + static_cast<std::ptrdiff_t>(place); };
  for (std::size_t start = 0; start < size; start += piece) {
    const auto from = at(start);
    const auto to = at(std::min(start + piece, size));
    std::vector<T> part(std::make_move_iterator(from), std::make_move_iterator(to));
    sort_stably(part, less);
    std::move(part.begin(), part.end(), from);
    if (start + piece < size) co_await next_turn();
  }
  std::vector<T> merged;
  for (std::size_t width = piece; width < size; width *= 2) {
    merged.clear();
    merged.reserve(size);
    for (std::size_t start = 0; start < size; start += 2 * width) {
      const std::size_t middle = std::min(start + width, size);
      const std::size_t end = std::min(middle + width, size);
      std::size_t left = start;
      std::size_t right = middle;
      while (left < middle || right < end) {
        const bool takes_right = left == middle || (right < end && less(items[right], items[left]));
        merged.push_back(std::move(items[takes_right ? right++ : left++]));
        if (merged.size() % piece == 0) co_await next_turn();
      }
    }
    items.swap(merged);
  }
}

/// Destroys the items, some in each turn: freeing the texts of many items takes time, too.
template <class T>
asio::awaitable<void> discard_in_turns(std::vector<T> items) {
  constexpr std::size_t piece = 8 * steps_a_turn;
  while (items.size() > piece) {
    items.erase(items.end() - static_cast<std::ptrdiff_t>(piece), items.end());
    co_await next_turn();
  }
}

}  // namespace rollcall
