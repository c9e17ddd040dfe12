#include "base/order.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {
namespace {

// Removes the digits at the start and returns them.
std::string_view take_digits(std::string_view& text) noexcept {
  const auto end = std::find_if_not(text.begin(), text.end(), [](char c) { return is_digit(c); });
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

std::string_view without_zeros(std::string_view digits) noexcept {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

}  // namespace

std::strong_ordering natural_order(std::string_view a, std::string_view b) noexcept {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view number_a = without_zeros(take_digits(a));
      const std::string_view number_b = without_zeros(take_digits(b));
      if (const auto order = number_a.size() <=> number_b.size(); order != 0) return order;
      if (const auto order = number_a.compare(number_b) <=> 0; order != 0) return order;
      continue;
    }
    if (const auto order = static_cast<unsigned char>(a.front()) <=> static_cast<unsigned char>(b.front()); order != 0) return order;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (const auto order = a.size() <=> b.size(); order != 0) return order;
  if (const auto order = whole_a.size() <=> whole_b.size(); order != 0) return order;
  return whole_a.compare(whole_b) <=> 0;
}

}  // namespace rollcall
