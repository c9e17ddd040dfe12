// A watch's documents, one a line.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

/// Puts a stream's pieces together to lines.
class WatchLines {
 public:
  using Consumer = std::function<Result<void>(std::string_view line)>;
  explicit WatchLines(std::size_t max_line) : max_line_(max_line) {}
  /// The consumer gets each line that is complete; its failures are handed on. Errors: limit_exceeded.
  Result<void> feed(std::string_view piece, const Consumer& consumer);
  /// What has come of a line that is not complete.
  const std::string& rest() const { return rest_; }

 private:
  std::size_t max_line_;
  std::string rest_;
};

}  // namespace rollcall
