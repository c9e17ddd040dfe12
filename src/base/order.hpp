// Natural order of texts, and a stable sort.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace rollcall {

/// Runs of digits compare as numbers of any length, everything else byte by byte. If nothing else differs, a number with more leading zeros
/// comes after one with fewer, so that only equal texts are equal.
std::strong_ordering natural_order(std::string_view a, std::string_view b) noexcept;

/// std::stable_sort uses a function that C++17 deprecates, and Clang warns wherever it is used.
template <class T, class Less>
void sort_stably(std::vector<T>& items, Less less) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (less(items[a], items[b])) return true;
    return !less(items[b], items[a]) && a < b;
  });
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const std::size_t i : order) sorted.push_back(std::move(items[i]));
  items = std::move(sorted);
}

}  // namespace rollcall
