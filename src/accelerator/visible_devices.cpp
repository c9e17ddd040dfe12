#include "accelerator/visible_devices.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_list_bytes = 64 * 1024;

bool is_part_of_device(std::string_view word) {
  const std::size_t dot = word.find('.');
  return dot != std::string_view::npos && parse_decimal<int>(word.substr(0, dot)) && parse_decimal<int>(word.substr(dot + 1));
}

}  // namespace

bool is_device_word(std::string_view word) noexcept {
  return parse_decimal<int>(word).has_value() || word.starts_with("GPU-") || word.starts_with("MIG-");
}

std::optional<int> count_visible(std::string_view list) {
  if (list.size() > max_list_bytes) return std::nullopt;
  std::set<int> indices;
  std::set<std::string_view> names;
  for (const std::string_view part : split(list, ',')) {
    const std::string_view word = trim(part);
    if (is_part_of_device(word)) return std::nullopt;
    if (!is_device_word(word)) break;
    const std::optional<int> index = parse_decimal<int>(word);
    const bool is_new = index ? indices.insert(*index).second : names.insert(word).second;
    if (!is_new) return std::nullopt;
  }
  return static_cast<int>(indices.size() + names.size());
}

}  // namespace rollcall
