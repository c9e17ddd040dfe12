#include "fleet/wire/position.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace rollcall::fleet {
namespace {

std::optional<std::uint64_t> parse_part(std::string_view text) {
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return parse_decimal<std::uint64_t>(text);
}

}  // namespace

std::optional<Position> Position::parse(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint64_t> epoch = parse_part(text.substr(0, point));
  const std::optional<std::uint64_t> revision = parse_part(text.substr(point + 1));
  if (!epoch || !revision) return std::nullopt;
  return Position(*epoch, *revision);
}

std::string Position::to_text() const { return fmt::format("{}.{}", epoch, revision); }

}  // namespace rollcall::fleet
