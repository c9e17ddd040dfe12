// Measures how late the event loop runs.
#pragma once

#include <memory>

#include "call/runtime_impl.hpp"
#include "fleet/entry/service_numbers.hpp"

namespace rollcall::fleet {

/// Once a second from start() to stop(), adds to the numbers how much later than planned its timer ran. All references outlive it.
class LoopLag {
 public:
  LoopLag(std::shared_ptr<Runtime::Impl> runtime, ServiceNumbers& numbers) : runtime_(std::move(runtime)), numbers_(numbers) {}
  void start();
  void stop();

 private:
  void on_second() noexcept;

  std::shared_ptr<Runtime::Impl> runtime_;
  ServiceNumbers& numbers_;
  Timer timer_;
  SteadyTime planned_at_{};
};

}  // namespace rollcall::fleet
