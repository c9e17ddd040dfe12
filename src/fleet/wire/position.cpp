#include "fleet/wire/position.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace rollcall::fleet {

std::optional<Position> Position::parse(std::string_view text) {
  constexpr std::size_t max_instance = 32;
  const std::size_t point = text.find('.');
  if (point == 0 || point > max_instance) return std::nullopt;
  const std::string_view instance = text.substr(0, point);
  const std::string_view number = text.substr(point + 1);
  if (!std::all_of(instance.begin(), instance.end(), is_alnum) || (number.size() > 1 && number.front() == '0')) return std::nullopt;
  const std::optional<std::uint64_t> revision = parse_decimal<std::uint64_t>(number);
  if (!revision) return std::nullopt;
  return Position(std::string(instance), *revision);
}

std::string Position::to_text() const { return fmt::format("{}.{}", instance, revision); }

}  // namespace rollcall::fleet
