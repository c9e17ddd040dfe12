// Invariants of what a follower receives, under any failures: checked on its log, against the truth if that is known.
//
// I1 No position goes back. I2 A status was true at the time that its age gives, or up to a second before. I4 Soon after the last fault
// all followers know the present state. I5 No 15 s pass without an event. I6 A verdict comes from a poll of the last ten seconds.
// I8 A follower without the right receives nothing more. (I3 is about stores that replicas share; I7, bounded memory, is the service's.)
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/wire/position.hpp"

namespace rollcall::testing {

enum class Standing { waiting, ready, over };  // as in `progress`, `ready` and `final`
inline std::string_view to_string(Standing standing) {
  return standing == Standing::waiting ? "waiting" : standing == Standing::ready ? "ready" : "over";
}

/// What was true of one cluster, with times in seconds from the start.
class Truth {
 public:
  class Span {
   public:
    double from = 0;
    double until = 0;
    Standing standing = Standing::waiting;
  };
  std::vector<Span> spans;  ///< may overlap if the cloud gives different answers to different clients

  bool was(Standing standing, double from, double until) const {
    for (const Span& span : spans) {
      if (span.standing == standing && span.from <= until && span.until > from) return true;
    }
    return false;
  }
};

class FollowerEntry {
 public:
  double at = 0;  ///< when it was read
  std::string event;
  std::string id;
  std::optional<double> age;          ///< in seconds
  std::optional<Standing> standing;  ///< in the event
};

class FollowerLog {
 public:
  std::string name;
  bool awaits_existence = false;
  bool is_slow = false;  ///< it reads late: the text was true when it was sent
  std::vector<FollowerEntry> entries;
  std::vector<std::pair<double, double>> lines;     ///< begin and end of each stream
  std::vector<std::pair<double, double>> withdrawn;  ///< begin and end of each time without the right to read
  std::vector<std::pair<double, double>> still;  ///< begin and end of each time for which the service of a stream stood still
};

/// The invariants that do not hold, in words; empty: all hold. `end`: a time long after the last fault.
class FollowerCheck {
 public:
  FollowerCheck(const FollowerLog& log, const Truth& truth) : log_(log), truth_(truth) {}

  std::vector<std::string> run(double end) {
    check_positions();
    if (!log_.is_slow) check_truth();
    if (!log_.is_slow) check_silence();
    if (!log_.is_slow) check_rights();
    check_end(end);
    return std::move(faults_);
  }

 private:
  static constexpr double age_error = 1;
  static constexpr double fresh = 10;
  static constexpr double max_silence = 15;

  template <class... T>
  void fault(double at, fmt::format_string<T...> form, T&&... values) {
    faults_.push_back(fmt::format("{} at {:.3f} s: ", log_.name, at) + fmt::format(form, std::forward<T>(values)...));
  }

  void check_positions() {
    std::optional<fleet::Position> last;
    for (const FollowerEntry& entry : log_.entries) {
      const std::optional<fleet::Position> position = fleet::Position::parse(entry.id);
      if (!position) {
        fault(entry.at, "{}: the id {} is no position", entry.event, entry.id);
        continue;
      }
      // A new stream begins with 0, which means that the service does not know what its client has received.
      if (last && (position->epoch < last->epoch || (position->revision != 0 && *position < *last)))
        fault(entry.at, "I1: {} goes back from {} to {}", entry.event, last->to_text(), position->to_text());
      if (position->revision != 0 || !last || last->epoch < position->epoch) last = position;
    }
  }

  void check_truth() {
    std::optional<Standing> known;
    std::size_t line = 0;
    for (const FollowerEntry& entry : log_.entries) {
      while (line + 1 < log_.lines.size() && log_.lines[line + 1].first <= entry.at) {
        ++line;
        known.reset();  // a stream begins
      }
      if (entry.standing) known = entry.standing;
      if (entry.event == "final") {
        if (!truth_.was(Standing::over, entry.at - fresh - age_error, entry.at))
          fault(entry.at, "I6: a verdict that no fresh look has shown");
        known.reset();
      } else if (known && entry.age && !truth_.was(*known, entry.at - *entry.age - age_error, entry.at)) {
        fault(entry.at, "I2: {} says that it was {} {:.3f} s ago, and it was not", entry.event, to_string(*known), *entry.age);
      }
    }
  }

  void check_silence() {
    std::size_t next = 0;
    for (const auto& [from, until] : log_.lines) {
      double last = from;
      for (; next < log_.entries.size() && log_.entries[next].at <= until; ++next) {
        const double silence = silence_between(last, log_.entries[next].at);
        if (silence > max_silence) fault(last, "I5: {:.3f} s of silence", silence);
        last = log_.entries[next].at;
      }
      const double silence = silence_between(last, until);
      if (silence > max_silence) fault(last, "I5: {:.3f} s of silence at the end of a line", silence);
    }
  }

  // A service that stands still cannot say anything.
  double silence_between(double from, double until) const {
    double sum = until - from;
    for (const auto& [begin, end] : log_.still) sum -= std::max(0.0, std::min(until, end) - std::max(from, begin));
    return sum;
  }

  void check_rights() {
    for (const FollowerEntry& entry : log_.entries) {
      for (const auto& [from, until] : log_.withdrawn) {
        if (entry.at > from && entry.at < until && entry.event != "final" && entry.event != "moved")
          fault(entry.at, "I8: it is told {} after its right was withdrawn at {:.3f} s", entry.event, from);
      }
    }
  }

  void check_end(double end) {
    std::optional<Standing> known;
    for (const FollowerEntry& entry : log_.entries) {
      if (entry.standing) known = entry.standing;
    }
    if (!known || !truth_.was(*known, end - fresh - age_error, end))
      fault(end, "I4: it believes that it is {}", known ? to_string(*known) : "nothing");
  }

  const FollowerLog& log_;
  const Truth& truth_;
  std::vector<std::string> faults_;
};

}  // namespace rollcall::testing
