// Orders of texts, and sorting that keeps the order of equals.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace rollcall {

/// Runs of digits compare as numbers of any length, everything else byte by byte. Numbers of equal value with more leading zeros come
/// after those with fewer when nothing else differs, so that only equal texts are equal.
std::strong_ordering natural_order(std::string_view a, std::string_view b) noexcept;

/// std::stable_sort uses what C++17 deprecates, and Clang says so wherever it is used.
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
