// What one address may ask of the service: how many answers it may wait for at once, and how many targets it may name that nobody has
// asked for. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// Whose bound an address counts against: an IPv4 address, the 64 bits of network of an IPv6 address, since a machine has as many
/// addresses within it as it likes.
std::string peer_of_address(std::string_view address);

/// Memory: at most some 100 bytes for each of `most_peers`, and for those beyond that have answers waiting.
class PeerLimits {
 public:
  PeerLimits(int waiting, int targets_an_hour) : most_waiting_(waiting), targets_an_hour_(targets_an_hour) {}

  /// True: one more answer of the peer waits, until leave(). False: there are as many as there may be.
  bool enter(const std::string& peer);
  void leave(const std::string& peer) noexcept;
  /// True if the peer may name one more target that nobody has asked for; it counts then.
  bool take_target(const std::string& peer, SteadyTime now);
  std::size_t size() const noexcept { return peers_.size(); }

  static constexpr std::size_t most_peers = 10'000;

 private:
  class Peer {
   public:
    int waiting = 0;
    double targets = 0;  ///< named, less those that time has forgiven
    SteadyTime counted_at{};
  };
  double targets_now(const Peer& peer, SteadyTime now) const;
  void sweep(SteadyTime now);

  int most_waiting_;
  int targets_an_hour_;
  std::unordered_map<std::string, Peer> peers_;
  Peer others_;  // all that do not fit
  SteadyTime swept_at_{};
};

}  // namespace rollcall::fleet
