// From events to spans on lanes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "command/show/recorded_event.hpp"

namespace rollcall::tools {

enum class LaneKind { call, request, token };

/// Something that took time. Arguments are JSON values, ready to print.
struct Span {
  std::string name;
  std::string_view category;
  SteadyTime start{};
  SteadyTime end{};
  int lane = 0;
  std::size_t order = 0;  ///< in which it began among all
  std::vector<std::pair<std::string_view, std::string>> arguments;
};

struct Lane {
  LaneKind kind = LaneKind::call;
  int number = 0;  ///< within its kind, from 1
};

struct Timeline {
  std::vector<Lane> lanes;
  std::vector<Span> spans;  ///< of one lane: by start, outer ones first
};

Timeline make_timeline(const std::vector<RecordedEvent>& events, SteadyTime end);

}  // namespace rollcall::tools
