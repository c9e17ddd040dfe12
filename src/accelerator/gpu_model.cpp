#include "accelerator/gpu_model.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::string_view vendor_words[] = {"nvidia", "tesla", "geforce", "amd", "instinct", "radeon", "intel", "aws"};

bool is_vendor_word(std::string_view word) {
  return std::any_of(std::begin(vendor_words), std::end(vendor_words),
                     [word](std::string_view vendor) { return equals_ignoring_case(word, vendor); });
}

char in_capitals(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace

std::string gpu_model(std::string_view product) {
  constexpr std::string_view separators = "-_ ";
  std::string model;
  for (std::size_t at = 0; at < product.size();) {
    const std::size_t end = std::min(product.find_first_of(separators, at), product.size());
    const std::string_view word = product.substr(at, end - at);
    at = end + 1;
    if (word.empty() || is_vendor_word(word)) continue;
    if (!model.empty()) model += ' ';
    std::transform(word.begin(), word.end(), std::back_inserter(model), in_capitals);
    if (std::any_of(word.begin(), word.end(), [](char c) { return is_digit(c); })) return model;
  }
  return std::string(product);
}

}  // namespace rollcall
