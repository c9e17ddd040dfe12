#include "base/duration.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;
constexpr std::int64_t max_duration = std::int64_t{366} * 86400 * nanoseconds_per_second;

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
// Descending; "ms" is tried before "m".
constexpr Unit units[] = {
    {"h", 3600 * nanoseconds_per_second}, {"m", 60 * nanoseconds_per_second}, {"s", nanoseconds_per_second}, {"ms", 1'000'000}};

const Unit* take_unit(std::string_view& rest) {
  std::size_t size = 0;
  while (size < rest.size() && is_alpha(rest[size])) ++size;
  for (const Unit& unit : units) {
    if (rest.substr(0, size) == unit.name) {
      rest.remove_prefix(size);
      return &unit;
    }
  }
  return nullptr;
}

// Digits, and after a point at most nine; in units of `per`. Integers only: exact and independent of the locale.
std::optional<std::int64_t> scaled(std::string_view number, std::int64_t per) {
  const std::size_t point = number.find('.');
  const auto whole = parse_decimal<std::int64_t>(number.substr(0, point), 0, max_duration / per);
  if (!whole) return std::nullopt;
  std::int64_t total = *whole * per;
  if (point == std::string_view::npos) return total;
  const std::string_view digits = number.substr(point + 1);
  if (digits.empty() || digits.size() > 9) return std::nullopt;
  for (const char c : digits) {
    if (!is_digit(c)) return std::nullopt;
    per /= 10;
    total += (c - '0') * per;
  }
  return total;
}

std::optional<Duration> parse(std::string_view text) {
  std::int64_t total = 0;
  const Unit* last = nullptr;
  if (text.empty() || text.size() > 64) return std::nullopt;
  while (!text.empty()) {
    std::size_t size = 0;
    while (size < text.size() && (is_digit(text[size]) || text[size] == '.')) ++size;
    const std::string_view number = text.substr(0, size);
    text.remove_prefix(size);
    const Unit* unit = text.empty() && !last ? &units[2] : take_unit(text);
    if (!unit || (last && unit <= last)) return std::nullopt;
    const auto part = scaled(number, unit->nanoseconds);
    if (!part) return std::nullopt;
    total += *part;
    last = unit;
    if (total > max_duration) return std::nullopt;
  }
  return total > 0 ? std::optional(Duration(total)) : std::nullopt;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  if (const auto duration = parse(text)) return *duration;
  return Failure(Errc::invalid_argument, fmt::format("{} is no positive duration; accepted are {}", quoted(text, 64), duration_forms));
}

std::string duration_text(Duration duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  if (seconds < 0.0095) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(seconds + 0.5);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

}  // namespace rollcall
