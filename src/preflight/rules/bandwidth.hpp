// What measures say of the bandwidth of hosts, and which pairs are to be measured next. Pure.
//
// One good measure clears a direction of a host. Several slow ones, with as many partners and no good one, convict it. Of a measure that
// something else than the network held up it is known that the network passes at least so much: it can clear, and cannot convict.
//
// A member may report what it likes. So a flow counts only where both ends report it: it is good if both say so, and slow if both say so.
// Then one member alone can neither lift the median, nor clear another one, nor say anything against it. Ends that report very different
// rates contradict each other, and who contradicts most of its partners is named.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "preflight/rules/pair_table.hpp"
#include "rollcall/preflight_evidence.hpp"

namespace rollcall::preflight {

/// What a host sends, or what it receives.
class OneDirection {
 public:
  OneDirection() {}
  bool is_cleared = false;
  std::set<std::size_t> slow_with;
  std::int64_t best = 0;  ///< bytes a second
  /// Not cleared, and not convicted by so many slow measures yet.
  bool is_open(std::size_t convicting) const { return !is_cleared && slow_with.size() < convicting; }
  bool is_convicted(std::size_t convicting) const { return !is_cleared && slow_with.size() >= convicting; }
};

/// Two ends of a flow that cannot both be right.
class Contradiction {
 public:
  Contradiction() {}
  std::size_t from = 0;
  std::size_t to = 0;
  std::int64_t sent = 0;  ///< bytes a second, as the one says
  std::int64_t received = 0;
};

using MeasuredPair = std::pair<std::size_t, std::size_t>;

/// A way that was measured.
class MeasuredWay {
 public:
  MeasuredWay() {}
  std::int64_t best = 0;  ///< bytes a second, as the end says that reports less; of several flows the best
  std::int64_t most = 0;  ///< as the other end says
  std::size_t measures = 0;  ///< that the network limited
};

class BandwidthView {
 public:
  explicit BandwidthView(const PreflightEvidence& evidence);

  bool is_slow(std::int64_t bytes_per_second) const;
  /// A way is slow, and its ends are not with others.
  bool is_odd(const MeasuredPair& ends) const;
  /// More measures of it may say more.
  bool is_open(std::size_t host) const;
  /// It contradicts so many partners that more of its measures say nothing.
  bool has_contradicted(std::size_t host) const { return contradicted(host) >= convicting; }
  std::size_t contradicted(std::size_t host) const { return contradicted_[host].size(); }
  /// Those that contradict most of their partners. None where half of all hosts did: then it is no member's fault.
  std::vector<std::size_t> contradictory() const;
  /// They were measured together before.
  bool has_met(std::size_t a, std::size_t b) const { return partners_[a].contains(b); }

  std::vector<OneDirection> in;   ///< by place
  std::vector<OneDirection> out;
  std::map<MeasuredPair, MeasuredWay> ways;  ///< by sender and receiver
  std::vector<Contradiction> contradictions;
  std::vector<std::size_t> hosts; ///< of each host the first member that reported
  std::int64_t median = 0;        ///< of the best that each host received and sent, bytes a second
  std::size_t convicting = 3;     ///< how many slow measures convict

 private:
  void add_flow(std::size_t from, std::size_t to, std::int64_t received, const SentFlow& flow);

  std::vector<std::set<std::size_t>> partners_;      // by place
  std::vector<std::set<std::size_t>> contradicted_;  // of them those whose ends reported something else
};

/// The pairs of round `round`, from 0 on, in which each host is once at most. The first two are drawn at random; then those that are not
/// cleared meet others that are, and a pair that is slow while both are cleared meets again. None: all is known that can be.
std::vector<MeasuredPair> pairs_to_measure(const PreflightEvidence& evidence, std::size_t round);

}  // namespace rollcall::preflight
