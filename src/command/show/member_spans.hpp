// Missing members as spans of a timeline: one span for each reason, one lane for each member, or for a run of free places. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "command/show/trace.hpp"

namespace rollcall::command {

/// The value of a span's argument: a JSON string.
std::string quoted_json(std::string_view text);

class MemberSpans {
 public:
  MemberSpans() {}
  /// An event member_waiting or member_ready.
  void take(const RecordedEvent& event);
  /// Appends lanes and spans; members that are still missing get spans until `last`.
  void add_to(Timeline& timeline, SteadyTime last) &&;

 private:
  class Waiting {
   public:
    Waiting() {}
    int last = 0;  ///< of the places that begin with the key
    SteadyTime since{};
    std::string label;
    std::string why;
  };
  using Places = std::map<int, Waiting>;  // by first; they do not overlap

  void end_those_between(const std::string& job, int first, int last, SteadyTime at);
  void add_span(const std::string& job, int first, const Waiting& waiting, SteadyTime end, bool is_finished);
  int lane_of(const std::string& job, int first, int last);

  std::map<std::string, Places, std::less<>> waiting_;
  std::map<std::string, int> lanes_;  // by name
  std::vector<Lane> names_;
  std::vector<Span> spans_;
};

}  // namespace rollcall::command
