// Limits of one client: requests a second and at once, answers that wait, and new targets an hour. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "rollcall/fleet_settings.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// The caller chooses the key of a peer: an identity, an address, or both. Memory: about 200 bytes for each of `max_peers` peers, and for
/// each peer beyond that with waiting answers.
class PeerLimits {
 public:
  explicit PeerLimits(const FleetBounds& bounds) : bounds_(bounds) {}
  /// Limits from now on; the counts stay.
  void change(const FleetBounds& bounds) { bounds_ = bounds; }

  /// True: one more answer of the peer waits, until leave(). False: the peer has as many as it may have.
  bool enter(const std::string& peer);
  void leave(const std::string& peer) noexcept;
  /// Counts a request; false, and nothing is counted: the peer is over its rate.
  bool take_request(const std::string& peer, SteadyTime now);
  /// The same answer, without counting.
  bool may_request(const std::string& peer, SteadyTime now) const;
  /// Counts a target that no client has named before; false: the peer has named as many as it may.
  bool take_target(const std::string& peer, SteadyTime now);
  std::size_t size() const noexcept { return peers_.size(); }

  static constexpr std::size_t max_peers = 40'000;

 private:
  /// A leaky bucket: counts what was taken, and drains at a constant rate.
  class Bucket {
   public:
    double taken_at(SteadyTime now, double a_second) const;
    /// False if the bucket would hold more than `max`.
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
  Peer others_;  // peers beyond max_peers, counted together
  SteadyTime swept_at_{};
};

}  // namespace rollcall::fleet
