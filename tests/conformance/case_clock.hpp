// The clocks of a case: real, with a fixed wall clock, or virtual.
#pragma once

#include <memory>

#include "conformance/case.hpp"
#include "rollcall/testing/fake_time.hpp"

namespace rollcall::conformance {

class CaseClock {
 public:
  explicit CaseClock(const Case& the_case);
  const std::shared_ptr<TimeSource>& source() const { return source_; }
  /// Null when time is real.
  testing::FakeTime* fake() const { return fake_.get(); }
  /// Time since the case began.
  double seconds() const;

 private:
  std::shared_ptr<testing::FakeTime> fake_;
  std::shared_ptr<TimeSource> source_;
  SteadyTime start_;
};

}  // namespace rollcall::conformance
