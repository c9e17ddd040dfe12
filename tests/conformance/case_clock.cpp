#include "conformance/case_clock.hpp"

namespace rollcall::conformance {
namespace {

// Real steady time with a fixed wall clock.
class FixedWall final : public TimeSource {
 public:
  explicit FixedWall(WallTime wall) : wall_(wall) {}
  SteadyTime now() const override { return inner_->now(); }
  WallTime wall_now() const override { return wall_; }
  std::unique_ptr<Alarm> make_alarm(asio::any_io_executor executor, std::function<void()> ring) override {
    return inner_->make_alarm(std::move(executor), std::move(ring));
  }

 private:
  std::shared_ptr<TimeSource> inner_ = system_time();
  WallTime wall_;
};

}  // namespace

CaseClock::CaseClock(const Case& the_case) {
  if (the_case.is_virtual) {
    fake_ = the_case.wall ? std::make_shared<testing::FakeTime>(*the_case.wall) : std::make_shared<testing::FakeTime>();
    source_ = fake_;
  } else if (the_case.wall) {
    source_ = std::make_shared<FixedWall>(*the_case.wall);
  } else {
    source_ = system_time();
  }
  start_ = source_->now();
}

double CaseClock::seconds() const { return std::chrono::duration<double>(source_->now() - start_).count(); }

}  // namespace rollcall::conformance
