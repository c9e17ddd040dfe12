// What measures say of the bandwidth of hosts, and which pairs are to be measured next. Pure.
//
// One good measure clears a direction of a host. Several slow ones, with as many partners and no good one, convict it. Of a measure that
// something else than the network held up it is known that the network passes at least so much: it can clear, and cannot convict.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// A way that was measured.
class MeasuredWay {
 public:
  MeasuredWay() {}
  std::size_t from = 0;
  std::size_t to = 0;
  std::int64_t best = 0;  ///< bytes a second; of several the best
  std::size_t measures = 0;  ///< that the network limited
};

class BandwidthView {
 public:
  explicit BandwidthView(const PreflightEvidence& evidence);

  bool is_slow(std::int64_t bytes_per_second) const;
  /// They were measured together before.
  bool has_met(std::size_t a, std::size_t b) const { return met_.contains(std::minmax(a, b)); }

  std::vector<OneDirection> in;   ///< by place
  std::vector<OneDirection> out;
  std::vector<MeasuredWay> ways;
  std::vector<std::size_t> hosts; ///< of each host the first member that reported
  std::int64_t median = 0;        ///< of the best that each host received and sent, bytes a second
  std::size_t convicting = 3;     ///< how many slow measures convict

 private:
  std::set<std::pair<std::size_t, std::size_t>> met_;
};

using MeasuredPair = std::pair<std::size_t, std::size_t>;

/// The pairs of round `round`, from 0 on, in which each host is once at most. The first two are drawn at random; then those that are not
/// cleared meet others that are, and a pair that is slow while both are cleared meets again. None: all is known that can be.
std::vector<MeasuredPair> pairs_to_measure(const PreflightEvidence& evidence, std::size_t round);

}  // namespace rollcall::preflight
