// A position in the history of a fleet: the same on every replica, and comparable within an instance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rollcall::fleet {

class Position {
 public:
  Position() {}
  Position(std::string of_instance, std::uint64_t at_revision) : instance(std::move(of_instance)), revision(at_revision) {}
  /// `5e1f.182700`: up to 32 letters and digits, a point, a number without leading zeros. None for other texts.
  static std::optional<Position> parse(std::string_view text);
  std::string to_text() const;

  std::string instance;  ///< of the service's history; positions of different instances cannot be compared
  std::uint64_t revision = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

}  // namespace rollcall::fleet
