#include "fleet/http/rules/peer_limits.hpp"

#include <algorithm>
#include <optional>

#include "base/ip.hpp"

namespace rollcall::fleet {

std::string peer_of_address(std::string_view address) {
  const std::optional<IpBytes> bytes = read_ip(address);
  if (!bytes) return std::string(address.substr(0, 64));
  const IpBytes ipv4_prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255};
  const bool is_ipv4 = has_common_prefix(*bytes, ipv4_prefix, bits_before_ipv4);
  return std::string(bytes->begin() + (is_ipv4 ? 12 : 0), bytes->begin() + (is_ipv4 ? 16 : 8));
}

bool PeerLimits::enter(const std::string& peer) {
  const auto known = peers_.find(peer);
  if (known == peers_.end()) {
    if (most_waiting_ < 1) return false;
    peers_[peer].waiting = 1;
    return true;
  }
  if (known->second.waiting >= most_waiting_) return false;
  ++known->second.waiting;
  return true;
}

void PeerLimits::leave(const std::string& peer) noexcept {
  const auto known = peers_.find(peer);
  if (known == peers_.end()) return;
  if (--known->second.waiting <= 0 && known->second.targets <= 0) peers_.erase(known);
}

bool PeerLimits::take_target(const std::string& peer, SteadyTime now) {
  if (peers_.size() >= most_peers && !peers_.contains(peer)) sweep(now);
  const bool is_one_of_many = peers_.size() >= most_peers && !peers_.contains(peer);
  Peer& counted = is_one_of_many ? others_ : peers_[peer];
  const double targets = targets_now(counted, now);
  counted.counted_at = now;
  counted.targets = targets;
  if (targets + 1 > targets_an_hour_) return false;
  counted.targets += 1;
  return true;
}

double PeerLimits::targets_now(const Peer& peer, SteadyTime now) const {
  const double hours = std::chrono::duration<double, std::ratio<3600>>(now - peer.counted_at).count();
  return std::max(0.0, peer.targets - hours * targets_an_hour_);
}

// Not for every stranger of a crowd.
void PeerLimits::sweep(SteadyTime now) {
  if (swept_at_ != SteadyTime() && now - swept_at_ < std::chrono::minutes(1)) return;
  swept_at_ = now;
  std::erase_if(peers_, [this, now](const auto& one) { return one.second.waiting <= 0 && targets_now(one.second, now) <= 0; });
}

}  // namespace rollcall::fleet
