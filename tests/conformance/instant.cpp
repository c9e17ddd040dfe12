#include "conformance/instant.hpp"

#include "base/text.hpp"

namespace rollcall::conformance {

std::optional<WallTime> parse_instant(std::string_view text) {
  constexpr std::string_view shape = "0000-00-00T00:00:00";
  if (text.size() < shape.size()) return std::nullopt;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == '0' ? !is_digit(text[i]) : text[i] != shape[i]) return std::nullopt;
  }
  const auto field = [text](std::size_t at, std::size_t size) { return *parse_decimal<int>(text.substr(at, size)); };
  const std::chrono::year_month_day day(std::chrono::year(field(0, 4)), std::chrono::month(static_cast<unsigned>(field(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(field(8, 2))));
  if (!day.ok() || field(11, 2) > 23 || field(14, 2) > 59 || field(17, 2) > 60) return std::nullopt;
  WallTime time = std::chrono::sys_days(day) + std::chrono::hours(field(11, 2)) + std::chrono::minutes(field(14, 2)) +
                  std::chrono::seconds(field(17, 2));
  std::string_view rest = text.substr(shape.size());
  if (rest.starts_with('.')) {
    Duration unit = std::chrono::seconds(1);
    for (rest.remove_prefix(1); !rest.empty() && is_digit(rest.front()); rest.remove_prefix(1)) {
      unit /= 10;
      time += unit * (rest.front() - '0');
    }
  }
  if (rest != "" && rest != "Z" && rest != "+00:00") return std::nullopt;
  return time;
}

}  // namespace rollcall::conformance
