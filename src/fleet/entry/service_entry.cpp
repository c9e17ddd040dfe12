#include "fleet/entry/service_entry.hpp"

#include "base/backoff.hpp"

namespace rollcall::fleet {

ServiceEntry::ServiceEntry(std::shared_ptr<Fleet> fleet, const FleetHttpOptions& options)
    : fleet_(std::move(fleet)), runtime_(shared_impl_of(fleet_->runtime())), watchers_(options.watchers),
      server_limits_(options.server_limits), admission_(std::make_shared<Admission>(runtime_, options.access, options.bounds, numbers_)),
      groups_(fleet_, runtime_), topics_(fleet_, *admission_, groups_), loop_lag_(runtime_, numbers_) {}

void ServiceEntry::close(Duration spread) {
  if (closing_at_) return;
  closing_at_ = now();
  loop_lag_.stop();
  groups_.stop();
  closing_spread_ = spread;
  groups_.wake_all();
}

SteadyTime ServiceEntry::end_of_stream() const { return *closing_at_ + with_jitter(closing_spread_, 0, 1, runtime_->uniform()); }

void ServiceEntry::judge_again() { groups_.wake_all(); }

void ServiceEntry::require_reauthentication() {
  admission_->require_reauthentication();
  groups_.wake_all();
}

const FallbackSchedule& ServiceEntry::fallback_schedule() {
  const SteadyTime present = now();
  if (!fallback_schedule_at_ || present - *fallback_schedule_at_ > std::chrono::seconds(1)) {
    fallback_schedule_ = fleet_->fallback_schedule();
    fallback_schedule_at_ = present;
  }
  return fallback_schedule_;
}

void ServiceEntry::log(const ServedRequest& event) const {
  if (logs_requests()) watchers_.requests->on_request(event);
}

}  // namespace rollcall::fleet
