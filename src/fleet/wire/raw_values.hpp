// Kinds of values in the service's documents.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "fleet/wire/documents.hpp"
#include "json/json_values.hpp"

namespace rollcall::fleet {

class PositionText : public JsonText {
 public:
  static std::string read(Position& slot, std::string_view text) {
    std::optional<Position> position = Position::parse(text);
    if (!position) return fmt::format("is {}, no position", quoted(text, 64));
    slot = std::move(*position);
    return {};
  }
  static bool write(std::string& out, const Position& position) { return JsonText::write(out, position.to_text()); }
};
using Generation = NumberUpTo<std::numeric_limits<std::int64_t>::max(), "no number of a generation">;

inline std::string set_raw_age(Age& slot, std::int64_t milliseconds) { return AgeMilliseconds::read(slot, milliseconds); }

}  // namespace rollcall::fleet
