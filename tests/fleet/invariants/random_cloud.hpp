// A TPU whose life follows from a seed, in a cloud with faults, and the truth about it. All faults end at `calm`.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <string>

#include "fleet/invariants/follower_log.hpp"

namespace rollcall::testing {

/// The cloud's file for a seed, and the truth in it.
class RandomCloud {
 public:
  static constexpr double calm = 200;
  static constexpr double end = 260;

  explicit RandomCloud(std::mt19937& dice) {
    std::string timeline = R"({"at": 0, "state": "CREATING"})";
    double from = 0;
    std::string state = "CREATING";
    while (from < calm) {
      double until = in_file(from + 0.5 + std::exponential_distribution<double>(1.0 / 20)(dice));
      if (until >= calm) until = calm;
      add(state, from, until);
      constexpr const char* states[] = {"READY", "READY", "CREATING", "REPAIRING", "PREEMPTED", "DELETED"};
      state = until >= calm ? "READY" : states[dice() % 6];
      timeline += fmt::format(R"(, {{"at": {:.3f}, "state": "{}"}})", until, state);
      from = until;
    }
    add(state, calm, end);
    std::string faults;
    for (int i = static_cast<int>(dice() % 5); i > 0; --i) {
      const double begin = in_file(std::uniform_real_distribution<double>(1, calm - 25)(dice));
      const double over = in_file(begin + std::uniform_real_distribution<double>(1, 25)(dice));
      constexpr const char* kinds[] = {R"("status": 503)",    R"("status": 429, "headers": {"Retry-After": "3"})",
                                       R"("fault": "stall")", R"("fault": "reset")",
                                       R"("delay": 4)",       R"("status": 404)"};
      const std::size_t kind = dice() % 6;
      faults += fmt::format(R"({}{{"match": {{"path": "*/nodes/trainer"}}, "from": {:.3f}, "until": {:.3f}, {}}})",
                            faults.empty() ? "" : ", ", begin, over, kinds[kind]);
      if (kind == 5) add("DELETED", begin, over);  // the cloud forgets it
    }
    text =
        R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-16", "timeline": [)" + timeline + R"(]}], "faults": [)" + faults + "]}";
  }

  std::string text;
  Truth plain;    ///< for followers that take absence for a verdict
  Truth awaited;  ///< for followers that wait for existence

 private:
  // Rounds as the file does: a state begins at the time in the file.
  static double in_file(double seconds) { return std::round(seconds * 1000) / 1000; }
  void add(const std::string& state, double from, double until) {
    Truth::Span span;
    span.from = from;
    span.until = until;
    span.standing = state == "READY" ? Standing::ready : state == "PREEMPTED" || state == "DELETED" ? Standing::over : Standing::waiting;
    plain.spans.push_back(span);
    if (state == "DELETED") span.standing = Standing::waiting;
    awaited.spans.push_back(span);
  }
};

}  // namespace rollcall::testing
