// A position in the history of a fleet: the same on every replica.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rollcall::fleet {

/// Ordered: a later epoch is later, and within an epoch a larger revision.
class Position {
 public:
  Position() {}
  Position(std::uint64_t of_epoch, std::uint64_t at_revision) : epoch(of_epoch), revision(at_revision) {}
  /// `1764243000.182700`: two numbers without leading zeros. None for other texts.
  static std::optional<Position> parse(std::string_view text);
  std::string to_text() const;

  std::uint64_t epoch = 0;     ///< of the leader that has numbered the change; a service alone has one since its start
  std::uint64_t revision = 0;  ///< counts the changes of an epoch; 0: nothing is known yet
  friend auto operator<=>(const Position&, const Position&) = default;
};

}  // namespace rollcall::fleet
