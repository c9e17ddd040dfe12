// The event beat as JSON: the table by which it is written and read, also within what replicas send each other.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "fleet/wire/documents.hpp"
#include "json/json_fields.hpp"
#include "json/json_values.hpp"

namespace rollcall::fleet {

inline constexpr std::int64_t max_schedule = 24 * 60 * 60;  ///< seconds
/// A number of seconds of the schedule.
template <std::int64_t min>
class ScheduleSeconds {
 public:
  static constexpr JsonKind kind = JsonKind::integer;
  static std::string read(std::chrono::seconds& slot, std::int64_t seconds) {
    if (seconds < min || seconds > max_schedule)
      return fmt::format("is {}, not a number of seconds from {} to {}", seconds, min, max_schedule);
    slot = std::chrono::seconds(seconds);
    return {};
  }
  static bool write(std::string& out, std::chrono::seconds seconds) { return append_json_number(out, seconds.count()); }
};

// clang-format off
inline constexpr auto schedule_fields = json_object<FallbackSchedule>(
    json_field<&FallbackSchedule::after, ScheduleSeconds<0>>("after_s"),
    json_field<&FallbackSchedule::spread, ScheduleSeconds<0>>("spread_s"),
    json_field<&FallbackSchedule::poll, ScheduleSeconds<1>>("poll_s"));
inline constexpr auto heartbeat_event_fields = json_object<HeartbeatDocument>(
    json_field<&HeartbeatDocument::age, AgeMilliseconds>("age_ms"),
    required(merged_object<&HeartbeatDocument::fallback_schedule, schedule_fields>("fallback")));
// clang-format on

}  // namespace rollcall::fleet
