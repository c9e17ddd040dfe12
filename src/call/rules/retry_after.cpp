// How long a server asks to be left alone.
#include "call/rules/retry_after.hpp"

#include <algorithm>
#include <cstdint>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"

namespace rollcall {
namespace {

// Whole seconds; more digits than a number holds are just "very long".
std::optional<Duration> parse_seconds(std::string_view digits) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  const auto limit = std::chrono::duration_cast<std::chrono::seconds>(max_server_delay);
  const std::int64_t seconds = parse_decimal<std::int64_t>(digits).value_or(limit.count());
  return std::chrono::seconds(std::min<std::int64_t>(seconds, limit.count()));
}

}  // namespace

std::optional<Duration> parse_retry_after(std::string_view value, WallTime now) {
  value = trim(value);
  if (const auto seconds = parse_seconds(value)) return seconds;
  const auto date = parse_http_date(value, now);
  if (!date) return std::nullopt;
  if (*date <= now) return Duration(0);
  return std::min(saturating_difference(*date, now), max_server_delay);
}

std::optional<Duration> parse_proto_duration(std::string_view value) {
  if (value.empty() || value.back() != 's') return std::nullopt;
  value.remove_suffix(1);
  const std::size_t dot = value.find('.');
  const std::optional<Duration> seconds = parse_seconds(value.substr(0, dot));
  if (!seconds || dot == std::string_view::npos) return seconds;
  std::string_view fraction = value.substr(dot + 1);
  if (fraction.empty() || fraction.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  fraction = fraction.substr(0, 9);
  auto nanoseconds = parse_decimal<std::int64_t>(fraction).value_or(0);
  for (std::size_t i = fraction.size(); i < 9; ++i) nanoseconds *= 10;
  return std::min(*seconds + Duration(nanoseconds), max_server_delay);
}

}  // namespace rollcall
