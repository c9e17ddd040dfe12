// The documents of a watch, one per line.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

/// Assembles the pieces of a stream to lines.
class WatchLines {
 public:
  using Consumer = std::function<Result<void>(std::string_view line)>;
  explicit WatchLines(std::size_t max_line) : max_line_(max_line) {}
  /// The consumer gets each complete line; its failures are returned. Errors: limit_exceeded.
  Result<void> feed(std::string_view piece, const Consumer& consumer);
  /// The part of a line that is not complete yet.
  const std::string& rest() const { return rest_; }

 private:
  std::size_t max_line_;
  std::string rest_;
};

}  // namespace rollcall
