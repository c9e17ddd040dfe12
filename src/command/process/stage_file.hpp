// The stages of the processes that one shell starts one after the other, in a file of this user: `rollcall stage` adds to it, and
// `rollcall exec --barrier` brings what is there to the barrier.
//
// The file is a log to which lines are appended in one write each, so that two processes need no lock. It belongs to one session of
// processes (setsid) with one rank, so the tasks of one machine have one each. It lies in the folder rollcall of $XDG_RUNTIME_DIR, else in
// rollcall-UID of /tmp: a folder that only this user may enter, or nothing is kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/environment.hpp"
#include "rollcall/error.hpp"
#include "rollcall/stage.hpp"

namespace rollcall::command {

class StageFile {
 public:
  static constexpr std::size_t max_bytes = 16 * 1024;  ///< a longer log begins again

  /// Makes the folder if it is not there. `environment`: has the rank. Errors: failed_precondition: the folder is not this user's alone, or
  /// cannot be made.
  static Result<StageFile> open(const Environment& environment);

  /// A stage begins. Without a program it ends when the next one begins. Errors: unavailable: the line cannot be written.
  Result<void> begin(std::string_view name, bool has_program = true);
  /// The stage that this process has begun is over.
  Result<void> end(std::string_view name, int exit_status);
  /// What is in the file now, in the order of the beginnings, at most max_stages; empty: nothing, or no such file.
  std::vector<StageSpan> read() const;
  /// The stages are those of a start that is over.
  void remove() noexcept;

 private:
  explicit StageFile(std::string path) : path_(std::move(path)) {}
  Result<void> append(char what, std::string_view name, int exit_status);

  std::string path_;
};

/// A line of the log: `+ 12345 678 0 sync` (a stage has begun, at that millisecond, in process 678), `- …` (it is over, with that exit
/// status), or `* …` (one without a program has begun).
std::string stage_line(char what, std::int64_t at_ms, std::int64_t process, int exit_status, std::string_view name);
/// The last max_stages stages of a log at `now_ms`, in the order of their beginnings. Lines that are none are passed over. Pure.
std::vector<StageSpan> read_stage_log(std::string_view text, std::int64_t now_ms);

}  // namespace rollcall::command
