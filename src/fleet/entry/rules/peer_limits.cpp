#include "fleet/entry/rules/peer_limits.hpp"

#include <algorithm>
#include <chrono>

namespace rollcall::fleet {

bool PeerLimits::enter(const std::string& peer) {
  const auto known = peers_.find(peer);
  if (known == peers_.end()) {
    if (bounds_.streams_a_client < 1) return false;
    peers_[peer].waiting = 1;
    return true;
  }
  if (known->second.waiting >= bounds_.streams_a_client) return false;
  ++known->second.waiting;
  return true;
}

void PeerLimits::leave(const std::string& peer) noexcept {
  const auto known = peers_.find(peer);
  if (known == peers_.end()) return;
  --known->second.waiting;
  // A peer without waiting answers is kept until its other counts have decayed to zero.
  if (known->second.waiting <= 0 && is_forgiven(known->second, SteadyTime())) peers_.erase(known);
}

bool PeerLimits::take_request(const std::string& peer, SteadyTime now) {
  return counted(peer, now).requests.take(now, bounds_.requests_a_second, bounds_.burst);
}

bool PeerLimits::may_request(const std::string& peer, SteadyTime now) const {
  const auto known = peers_.find(peer);
  return known == peers_.end() || known->second.requests.taken_at(now, bounds_.requests_a_second) + 1 <= bounds_.burst;
}

bool PeerLimits::take_target(const std::string& peer, SteadyTime now) {
  return counted(peer, now).targets.take(now, targets_a_second(), bounds_.unknown_targets_an_hour);
}

double PeerLimits::Bucket::taken_at(SteadyTime now, double a_second) const {
  const double seconds = std::max(0.0, std::chrono::duration<double>(now - counted_at_).count());
  return std::max(0.0, taken_ - seconds * a_second);
}

bool PeerLimits::Bucket::take(SteadyTime now, double a_second, double max) {
  taken_ = taken_at(now, a_second);
  counted_at_ = now;
  if (taken_ + 1 > max) return false;
  taken_ += 1;
  return true;
}

bool PeerLimits::is_forgiven(const Peer& peer, SteadyTime now) const {
  return peer.requests.taken_at(now, bounds_.requests_a_second) <= 0 && peer.targets.taken_at(now, targets_a_second()) <= 0;
}

PeerLimits::Peer& PeerLimits::counted(const std::string& peer, SteadyTime now) {
  const auto known = peers_.find(peer);
  if (known != peers_.end()) return known->second;
  if (peers_.size() >= max_peers) sweep(now);
  return peers_.size() >= max_peers ? others_ : peers_[peer];
}

// At most every 10 s: a flood of new peers must not cause a sweep each.
void PeerLimits::sweep(SteadyTime now) {
  if (swept_at_ != SteadyTime() && now - swept_at_ < std::chrono::seconds(10)) return;
  swept_at_ = now;
  std::erase_if(peers_, [this, now](const auto& one) { return one.second.waiting <= 0 && is_forgiven(one.second, now); });
}

}  // namespace rollcall::fleet
