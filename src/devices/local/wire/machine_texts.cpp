#include "devices/local/wire/machine_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr int max_node_number = 1'000'000;

// Calls `use(name, value)` for each line, both trimmed. Lines without the separator are skipped.
template <class Use>
void for_each_field(std::string_view text, char separator, Use use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (const std::size_t at = line.find(separator); at != std::string_view::npos) use(trim(line.substr(0, at)), trim(line.substr(at + 1)));
  }
}

// gfx_target_version has two decimal digits each for the minor version and the stepping: 90402 is gfx942, 90010 is gfx90a.
std::string architecture_of(std::uint64_t version) {
  return version == 0 ? std::string() : fmt::format("gfx{}{:x}{:x}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace

NvidiaInformation parse_nvidia_information(std::string_view text) {
  NvidiaInformation found;
  for_each_field(text, ':', [&found](std::string_view name, std::string_view value) {
    if (name == "Model") found.model = value;
    if (name == "GPU UUID" && value.find('?') == std::string_view::npos) found.uuid = value;
    if (name == "Bus Location") found.bus = to_lower(value);
    if (name == "Device Minor") found.minor = parse_decimal<int>(value, 0, max_node_number);
    if (name == "GPU Excluded") found.is_excluded = value == "Yes";
  });
  return found;
}

std::string parse_nvidia_version(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  for (const std::string_view word : split(line, ' ')) {
    const auto is_of_version = [](char c) { return is_digit(c) || c == '.'; };
    if (!word.empty() && is_digit(word.front()) && std::all_of(word.begin(), word.end(), is_of_version)) return std::string(word);
  }
  return {};
}

KfdProperties parse_kfd_properties(std::string_view text) {
  KfdProperties found;
  std::uint64_t domain = 0;
  std::optional<std::uint64_t> location;
  for_each_field(text, ' ', [&](std::string_view name, std::string_view value) {
    const std::optional<std::uint64_t> number = parse_decimal<std::uint64_t>(value);
    if (!number) return;
    if (name == "simd_count") found.simd_count = *number;
    if (name == "drm_render_minor" && *number <= max_node_number) found.render_minor = static_cast<int>(*number);
    if (name == "gfx_target_version") found.architecture = architecture_of(*number);
    if (name == "unique_id" && *number != 0) found.unique_id = fmt::format("{:x}", *number);
    if (name == "domain") domain = *number;
    if (name == "location_id") location = *number;
  });
  if (location && *location <= 0xffff && domain <= 0xffffffff) {
    const std::uint64_t where = *location;
    found.bus = fmt::format("{:04x}:{:02x}:{:02x}.{}", domain, where >> 8, where >> 3 & 0x1f, where & 7);
  }
  return found;
}

std::optional<std::uint32_t> parse_pci_number(std::string_view text) {
  std::string_view digits = trim(text);
  if (!digits.starts_with("0x")) return std::nullopt;
  digits.remove_prefix(2);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<int> number_behind(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  // The kernel writes no leading zero: nvidia00 is no device's.
  if (name.size() > 1 && name.front() == '0') return std::nullopt;
  return parse_decimal<int>(name, 0, max_node_number);
}

}  // namespace rollcall
