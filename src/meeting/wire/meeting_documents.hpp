// What a task says to a gatherer, and what it is answered.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "rollcall/error.hpp"
#include "rollcall/stage.hpp"

namespace rollcall::meeting {

enum class Stage {
  barrier,  ///< it waits for the others
  left,     ///< it does not wait any more
  started,  ///< it has heard of the release
  coming,   ///< to a service alone: it has not come yet, and says what it does before
};
std::string_view to_string(Stage stage) noexcept;

class Hello {
 public:
  Hello() {}
  std::string incarnation;     ///< 16 hexadecimal digits, chosen at random by each process
  std::int64_t sequence = 0;   ///< from 1 on, larger in each hello of a process to a gatherer: a late copy is not taken for news
  std::int64_t call = 0;       ///< the number of the call that this gatherer answered last; 0: none yet
  Stage stage = Stage::barrier;
  std::int64_t generation = 0; ///< the least that the next start may have; of Stage::started: that of the release
  std::string why;             ///< of Stage::left
  std::string tasks;           ///< to a service: the names of all tasks, write_task_list(); else empty
  std::vector<StageSpan> stages;  ///< of Stage::coming, and with the first hello: what the process did before
};

/// A task that is not there.
class MissingTask {
 public:
  MissingTask() {}
  MissingTask(std::string task_name, std::string reason) : task(std::move(task_name)), why(std::move(reason)) {}
  std::string task;  ///< `worker:3`
  std::string why;
  std::string stage;    ///< what it does now, as it said; empty: not known
  Duration time{0};     ///< for how long it has done that
  Duration others{0};   ///< the median of what others took for it; 0: not known
  friend bool operator==(const MissingTask&, const MissingTask&) = default;
};

/// No start has a larger number.
inline constexpr std::int64_t max_generation = std::int64_t{1} << 53;

enum class RollState {
  waiting,
  released,  ///< all were here at one time: everyone starts
};
std::string_view to_string(RollState state) noexcept;

class RollAnswer {
 public:
  RollAnswer() {}
  std::int64_t members = 0;
  std::int64_t here = 0;
  std::int64_t call = 0;  ///< the number of the last call: everyone who hears a new one must confirm it
  RollState state = RollState::waiting;
  std::int64_t generation = 0;  ///< of the release
  bool is_released() const noexcept { return state == RollState::released; }
  std::vector<MissingTask> missing;  ///< at most max_missing_named of those who are missing
};
inline constexpr std::size_t max_missing_named = 16;

/// A run, as a service lists it.
class RunLine {
 public:
  RunLine() {}
  std::string run;
  std::string tasks;  ///< write_task_list()
  std::int64_t waiting_ms = 0;  ///< since the first task came for the present start
  RollAnswer roll;
};
std::string write_runs(std::vector<RunLine> runs);
/// Errors: malformed_response, limit_exceeded.
Result<std::vector<RunLine>> read_runs(std::string_view json, const ParseLimits& limits = {});

inline constexpr std::size_t max_hello_bytes = 8192;
std::string write_hello(const Hello& hello);
/// Errors: malformed_response, limit_exceeded.
Result<Hello> read_hello(std::string_view json);
std::string write_answer(const RollAnswer& answer);
/// Errors: malformed_response, limit_exceeded.
Result<RollAnswer> read_answer(std::string_view json, const ParseLimits& limits = {});

}  // namespace rollcall::meeting
