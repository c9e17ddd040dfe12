// Who of the replicas asks a source, decided alike by each of them from what the store says. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/target.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// What one replica asks as a whole: a source as source_key() has it, and of Kubernetes all jobs of a namespace:
/// `kubernetes/CONTEXT/NAMESPACE`.
std::string ownership_key(const Target& target);

/// A replica whose lease lives.
class Peer {
 public:
  Peer() {}
  std::string id;
  int schema = 1;
  bool is_leaving = false;
  std::vector<std::string> unable;  ///< sources that it could not ask lately
};

/// Rendezvous hashing: the replica with the highest score has the source, so that only the sources of one that comes or goes change hands.
/// The same in every process; well spread where ids differ.
std::uint64_t rendezvous_score(std::string_view source, std::string_view replica) noexcept;

/// The ids of those that may have the source, the one that should have it first. Of several schemas the lowest alone: what it writes the
/// others can read. One that is leaving has nothing; one that is unable comes after all that are not.
std::vector<std::string> claimants(std::string_view source, const std::vector<Peer>& peers);

enum class OwnershipMove {
  none,
  claim,  ///< write the owner's key, if nobody was faster
  yield,  ///< delete it after the last write
};

/// What one replica remembers of one source, to decide what to do about it.
class SourceOwnership {
 public:
  SourceOwnership() {}
  /// `owner`: whose key is there; empty: nobody's. `ranks`: of claimants().
  OwnershipMove next(std::string_view self, std::string_view owner, const std::vector<std::string>& ranks, bool is_wanted, SteadyTime now);
  /// When next() may say something else though nothing else has happened; max: never.
  SteadyTime again_at() const noexcept { return again_at_; }

 private:
  std::optional<SteadyTime> better_since_;  // another one should have it
  std::optional<SteadyTime> free_since_;    // nobody has it
  SteadyTime again_at_ = SteadyTime::max();
};

inline constexpr Duration patience_with_better = std::chrono::seconds(30);   ///< it may be gone again
inline constexpr Duration patience_with_claimant = std::chrono::seconds(15);  ///< whose turn it is, and who does not take it

/// Which sources a replica could not ask three times in a row: another one may do better, but not twice within five minutes.
class FailedLooks {
 public:
  FailedLooks() {}
  static constexpr int most_failures = 3;
  static constexpr Duration lasts = std::chrono::minutes(5);
  /// True if it is to be given to another one now; `failures`: looks in a row without an answer.
  bool note(const std::string& source, int failures, bool has_other, SteadyTime now);
  /// Ids that are not forgotten yet.
  std::vector<std::string> unable(SteadyTime now) const;

 private:
  std::map<std::string, SteadyTime> given_up_at_;
};

/// Until when a replica may take its lease for alive: two seconds less than the store grants, from when it was asked for.
class LeaseLife {
 public:
  LeaseLife() {}
  static constexpr Duration margin = std::chrono::seconds(2);
  void renew(SteadyTime asked_at, Duration ttl) { until_ = asked_at + ttl - margin; }
  void lose() { until_ = SteadyTime::min(); }
  bool is_alive(SteadyTime now) const noexcept { return now < until_; }
  SteadyTime until() const noexcept { return until_; }

 private:
  SteadyTime until_ = SteadyTime::min();
};

/// Whether a watch lives: a replica knows when it wrote its own key, and that key comes by the watch as all others do.
class WatchPulse {
 public:
  WatchPulse() {}
  static constexpr Duration max_silence = std::chrono::seconds(5);
  void sent(std::uint64_t beat, SteadyTime at) { sent_[beat] = at; }
  void seen(std::uint64_t beat) { sent_.erase(sent_.begin(), sent_.upper_bound(beat)); }
  /// A watch begins: what was written before it may have been told of already.
  void restart() { sent_.clear(); }
  /// True if it has not told of an own write for too long: it may be dead.
  bool is_silent(SteadyTime now) const { return !sent_.empty() && now - sent_.begin()->second > max_silence; }
  /// When is_silent() may become true.
  SteadyTime silent_at() const { return sent_.empty() ? SteadyTime::max() : sent_.begin()->second + max_silence; }

 private:
  std::map<std::uint64_t, SteadyTime> sent_;  // and not seen yet
};

}  // namespace rollcall::fleet
