// The names of all tasks in one short text, for a service that has no list of them: `chief:0 worker:0-63`. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "meeting/rules/meeting_tasks.hpp"
#include "rollcall/error.hpp"

namespace rollcall::meeting {

inline constexpr std::size_t max_listed_tasks = 1 << 16;
inline constexpr std::size_t max_task_list_bytes = 1024;

/// In their order. Errors: limit_exceeded; invalid_argument: a job's name that such a text cannot hold.
Result<std::string> write_task_list(const std::vector<MeetingTask>& tasks);
/// The names: `chief:0`, `worker:0`, … Errors: malformed_response, limit_exceeded.
Result<std::vector<std::string>> read_task_list(std::string_view text);

}  // namespace rollcall::meeting
