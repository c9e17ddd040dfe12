#include "remote/rules/server_loss.hpp"

#include <algorithm>

#include "base/saturating.hpp"

namespace rollcall {

void ServerLoss::note_answer() {
  std::fill(has_failed_.begin(), has_failed_.end(), false);
  first_failure_.reset();
  since_.reset();
}

void ServerLoss::note_told_ration(fleet::Ration ration) {
  constexpr std::chrono::seconds least_after{10};
  constexpr std::chrono::seconds least_poll{60};
  ration.after = std::max(ration.after, least_after);
  ration.poll = std::max(ration.poll, least_poll);
  note_ration(ration);
}

void ServerLoss::note_failure(std::size_t server, SteadyTime now, double uniform) {
  has_failed_[server] = true;
  if (!first_failure_) first_failure_ = now;
  if (since_ || !std::all_of(has_failed_.begin(), has_failed_.end(), [](bool has) { return has; })) return;
  since_ = first_failure_;
  direct_from_ = SteadyTime::max();
  if (fallback_ == ServerFallback::now) direct_from_ = now;
  if (fallback_ != ServerFallback::automatic) return;
  const Duration chosen = std::chrono::duration_cast<Duration>(Duration(ration_.spread) * uniform);
  direct_from_ = saturating_sum(*since_, Duration(ration_.after) + chosen);
}

std::optional<Duration> ServerLoss::direct_pause() const noexcept {
  if (fallback_ != ServerFallback::automatic) return std::nullopt;
  return Duration(ration_.poll);
}

}  // namespace rollcall
