// What one client may ask of the service: how much at once and a second, for how many answers it may wait, and how many targets it may
// name that nobody has asked for. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "rollcall/fleet_settings.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// Who a peer is, the caller says: an identity, an address, or both. Memory: at most some 200 bytes for each of `max_peers`, and for those
/// beyond that have answers waiting.
class PeerLimits {
 public:
  explicit PeerLimits(const FleetBounds& bounds) : bounds_(bounds) {}
  /// From now on; what was taken stays taken.
  void change(const FleetBounds& bounds) { bounds_ = bounds; }

  /// True: one more answer of the peer waits, until leave(). False: there are as many as there may be.
  bool enter(const std::string& peer);
  void leave(const std::string& peer) noexcept;
  /// True if the peer may ask once more; it counts then.
  bool take_request(const std::string& peer, SteadyTime now);
  /// The same, without counting it.
  bool may_request(const std::string& peer, SteadyTime now) const;
  /// True if the peer may name one more target that nobody has asked for; it counts then.
  bool take_target(const std::string& peer, SteadyTime now);
  std::size_t size() const noexcept { return peers_.size(); }

  static constexpr std::size_t max_peers = 40'000;

 private:
  /// What was taken, less what time has forgiven.
  class Bucket {
   public:
    double taken_at(SteadyTime now, double a_second) const;
    /// False where more than `most` would be taken then.
    bool take(SteadyTime now, double a_second, double max);

   private:
    double taken_ = 0;
    SteadyTime counted_at_{};
  };
  class Peer {
   public:
    int waiting = 0;
    Bucket requests;
    Bucket targets;
  };
  double targets_a_second() const noexcept { return bounds_.unknown_targets_an_hour / 3600.0; }
  bool is_forgiven(const Peer& peer, SteadyTime now) const;
  Peer& counted(const std::string& peer, SteadyTime now);
  void sweep(SteadyTime now);

  FleetBounds bounds_;
  std::unordered_map<std::string, Peer> peers_;
  Peer others_;  // all that do not fit
  SteadyTime swept_at_{};
};

}  // namespace rollcall::fleet
