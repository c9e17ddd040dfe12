#include "fleet/client/rules/server_loss.hpp"

#include <algorithm>

#include "base/saturating.hpp"

namespace rollcall {

void ServerLoss::note_answer() {
  std::fill(has_failed_.begin(), has_failed_.end(), false);
  first_failure_.reset();
  since_.reset();
}

void ServerLoss::note_sent_schedule(fleet::FallbackSchedule fallback_schedule) {
  constexpr std::chrono::seconds min_after{10};
  constexpr std::chrono::seconds min_poll{60};
  fallback_schedule.after = std::max(fallback_schedule.after, min_after);
  fallback_schedule.poll = std::max(fallback_schedule.poll, min_poll);
  note_schedule(fallback_schedule);
}

void ServerLoss::note_failure(std::size_t server, SteadyTime now, double uniform) {
  has_failed_[server] = true;
  if (!first_failure_) first_failure_ = now;
  if (since_ || !std::all_of(has_failed_.begin(), has_failed_.end(), [](bool has) { return has; })) return;
  since_ = first_failure_;
  direct_from_ = SteadyTime::max();
  if (fallback_ == ServerFallback::now) direct_from_ = now;
  if (fallback_ != ServerFallback::automatic) return;
  const Duration chosen = std::chrono::duration_cast<Duration>(Duration(fallback_schedule_.spread) * uniform);
  direct_from_ = saturating_sum(*since_, Duration(fallback_schedule_.after) + chosen);
}

std::optional<Duration> ServerLoss::direct_pause() const noexcept {
  if (fallback_ != ServerFallback::automatic) return std::nullopt;
  return Duration(fallback_schedule_.poll);
}

}  // namespace rollcall
