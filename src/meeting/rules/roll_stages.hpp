// The stages of the tasks of one roll: where each is, and how long others took for the same. Pure.
//
// The names are kept once for all tasks, so that a task costs at most 256 bytes, also with long names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/stage.hpp"
#include "rollcall/time.hpp"

namespace rollcall::meeting {

/// The last stage of a task.
class LastStage {
 public:
  LastStage() {}
  std::string name;
  Duration time{0};    ///< how long it took, or has lasted until now
  bool is_over = false;
  int exit_status = 0;
  friend bool operator==(const LastStage&, const LastStage&) = default;
};

class RollStages {
 public:
  static constexpr std::size_t max_names = 64;  ///< further names are not kept

  explicit RollStages(std::size_t tasks) : tasks_(tasks) {}

  /// Replaces the stages of a task.
  void take(std::size_t task, const std::vector<StageSpan>& stages, SteadyTime now);
  /// Nothing: the task has named no stage.
  std::optional<LastStage> last(std::size_t task, SteadyTime now) const;
  /// The median of what tasks took that have ended that stage well, at most a second old; 0: none has.
  Duration median(std::string_view name, SteadyTime now) const;

 private:
  class Kept {
   public:
    std::uint32_t milliseconds = 0;
    std::uint8_t name = 0;
    std::uint8_t exit_status = 0;
    bool is_over = false;
  };
  class Task {
   public:
    std::vector<Kept> stages;
    SteadyTime at{};  // when they were taken
  };
  class Name {
   public:
    std::string text;
    mutable Duration median{0};
    mutable std::optional<SteadyTime> median_at;  // when it was computed
  };
  std::optional<std::uint8_t> number_of(std::string_view name);
  Duration median_now(std::uint8_t name) const;

  std::vector<Name> names_;
  std::vector<Task> tasks_;
};

}  // namespace rollcall::meeting
