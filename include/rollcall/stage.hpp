// Stages of a process before its program runs: what it has done already, and what it does now.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// What a process does, or did, for a while before its program, such as `sync`.
class StageSpan {
 public:
  StageSpan() {}
  StageSpan(std::string stage_name, Duration how_long, bool has_ended = false, int status = 0)
      : name(std::move(stage_name)), time(how_long), is_over(has_ended), exit_status(status) {}
  std::string name;     ///< as check_stage_name() accepts it
  Duration time{0};     ///< how long it took, or how long it has lasted
  bool is_over = false;
  int exit_status = 0;  ///< of the stage's own program, 0 to 255; 0: success, or it has none
  friend bool operator==(const StageSpan&, const StageSpan&) = default;
};

inline constexpr std::size_t max_stage_name_bytes = 64;
/// Of one process; of more the last ones count.
inline constexpr std::size_t max_stages = 32;

/// Errors: invalid_argument: it is empty, has more than max_stage_name_bytes bytes, an invisible character, or a blank at an end.
Result<void> check_stage_name(std::string_view name);

}  // namespace rollcall
