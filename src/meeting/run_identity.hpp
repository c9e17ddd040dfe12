// What tasks that meet have in common, and what each process has alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "call/runtime_impl.hpp"
#include "meeting/rules/meeting_tasks.hpp"

namespace rollcall::meeting {

/// The name of a run, 16 hexadecimal digits: tasks that have another list, or another `run`, have another name. `purpose`: `barrier`.
std::string name_of_run(std::string_view purpose, const std::vector<MeetingTask>& tasks, std::string_view run);

/// Bytes of the segments that members say something in: what is to be said of lost packets must not be lost as they are.
inline constexpr int small_segment = 1200;

/// Of a process: 16 hexadecimal digits, drawn at random.
std::string new_incarnation(Runtime::Impl& runtime);

}  // namespace rollcall::meeting
