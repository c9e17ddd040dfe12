// What the members of a cluster saw of themselves and of each other in a preflight, and the judge of it. Pure: no I/O, no clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/preflight_verdict.hpp"

namespace rollcall {

/// What a member saw when it probed another.
enum class ProbeResult : std::uint8_t {
  untested,
  ok,             ///< small and large messages arrived both ways, and the right member answered
  refused,        ///< the host answers, and nothing listens on the port
  timed_out,
  no_route,
  silent,         ///< connected, and no process answered
  other_member,   ///< a member answered that is another task
  other_program,  ///< something answered that is no member
  other_list,     ///< a member of another list of members, or of another run
  other_secret,
  large_out,      ///< a large message to the other did not arrive
  large_in,       ///< one from the other did not arrive
  unknown_name,   ///< the other's name has no address
  shortage,       ///< this host had no more connections, ports or neighbours to give
};
/// `untested`, `ok`, …; stable, used in messages.
std::string_view to_string(ProbeResult result) noexcept;

/// More about one probe.
class ProbeDetail {
 public:
  ProbeDetail() {}
  int to = 0;                 ///< the place of the probed member in the list
  int large_bytes = 0;        ///< of large_out and large_in: the size of a packet that was seen to pass; 0: none was
  int answered_by = -1;       ///< of other_member: its place; -1: not known
  std::string address;        ///< which one was probed, where the list has a name
  friend bool operator==(const ProbeDetail&, const ProbeDetail&) = default;
};

/// A value of a host that is compared with those of others: `driver`, `570.158.01`.
class EvidenceFact {
 public:
  EvidenceFact() {}
  EvidenceFact(std::string fact_name, std::string fact_value, FindingSeverity if_odd = FindingSeverity::warning)
      : name(std::move(fact_name)), value(std::move(fact_value)), severity(if_odd) {}
  std::string name;
  std::string value;
  FindingSeverity severity = FindingSeverity::warning;  ///< of a value that most others do not have
  friend bool operator==(const EvidenceFact&, const EvidenceFact&) = default;
};

/// How a member's clock stands to that of another.
class ClockReading {
 public:
  ClockReading() {}
  int against = 0;                ///< the place of the other in the list
  std::int64_t ahead_us = 0;      ///< microseconds by which this member's clock is ahead; negative: behind
  std::int64_t round_trip_us = 0;
  friend bool operator==(const ClockReading&, const ClockReading&) = default;
};

/// How much a member received from another in a window of time.
class BandwidthMeasure {
 public:
  BandwidthMeasure() {}
  int from = 0;            ///< the place of the sender in the list
  std::int64_t order = 0;  ///< the number of the order to measure, by which both ends of a flow are found
  std::int64_t bytes_per_second = 0;
  friend bool operator==(const BandwidthMeasure&, const BandwidthMeasure&) = default;
};

/// The same flow at its other end. What only one of the two reports is not believed.
class SentFlow {
 public:
  SentFlow() {}
  int to = 0;              ///< the place of the receiver in the list
  std::int64_t order = 0;
  std::int64_t bytes_per_second = 0;
  bool is_of_network = true;  ///< false: something else held it up, such as busy processors
  friend bool operator==(const SentFlow&, const SentFlow&) = default;
};

/// A process that said it was a member and was not let in.
class IdentityClaim {
 public:
  IdentityClaim() {}
  std::string from;  ///< its address
  std::string why;   ///< `taken`, `other_list`, `other_secret`, `no_secret`, `other_version`
  std::string text;  ///< more, such as how many members its list has; may be empty
  friend bool operator==(const IdentityClaim&, const IdentityClaim&) = default;
};

enum class EvidenceState {
  absent,    ///< was not heard from
  joined,    ///< was heard from, and has not reported
  reported,
};
std::string_view to_string(EvidenceState state) noexcept;

class EvidenceMember {
 public:
  EvidenceMember() {}
  std::string job;
  int index = 0;
  std::string address;  ///< as in the list
  std::string block;    ///< of the topology, such as a rack; empty: not known
  EvidenceState state = EvidenceState::absent;
  std::string host;     ///< its name, as it says itself
  std::string boot_id;
  std::string from;     ///< the address from which it came
  std::string row;      ///< what it saw of each member, in the order of the list: see ProbeRow
  std::vector<ProbeDetail> details;
  std::vector<EvidenceFact> facts;
  std::vector<std::string> packages;  ///< which the fact `packages` stands for: `numpy-2.1.0`; empty: it was not asked for them
  std::vector<ClockReading> clocks;
  std::vector<BandwidthMeasure> measures;  ///< of what it received
  std::vector<SentFlow> sent;
  std::vector<IdentityClaim> claims;  ///< by others, to be this member
  std::vector<Finding> findings;      ///< of its own checks; their members are filled in by the judge
  std::vector<PreflightUnknown> unknown;  ///< what its own checks could not find out; the same
  bool is_host_known = true;          ///< false: without one of those the cluster must not pass
  friend bool operator==(const EvidenceMember&, const EvidenceMember&) = default;
};

class PreflightEvidence {
 public:
  PreflightEvidence() {}
  static constexpr std::size_t max_members = 10'240;

  std::string run;
  int judged_by = -1;     ///< the place of the member that leads; -1: not known
  bool authenticated = false;
  std::chrono::milliseconds took{0};
  int probes_each = 0;    ///< how many others each member probes; 0: all
  bool has_bandwidth = false;  ///< bandwidth was to be measured
  std::vector<EvidenceMember> members;

  std::string to_json() const;
  /// Errors: malformed_response, which names the field; limit_exceeded.
  static Result<PreflightEvidence> from_json(std::string_view json);
  friend bool operator==(const PreflightEvidence&, const PreflightEvidence&) = default;
};

/// A row of results as text: a letter for each, with a number before it where it is repeated: `3o.60or`. The letters: `.` untested, `o` ok,
/// `r` refused, `t` timed_out, `n` no_route, `s` silent, `m` other_member, `p` other_program, `l` other_list, `k` other_secret,
/// `O` large_out, `I` large_in, `u` unknown_name, `x` shortage. At most a byte for each result.
class ProbeRow {
 public:
  static std::string write(const std::vector<ProbeResult>& results);
  /// Errors: malformed_response: a letter that has no meaning, or not `members` results.
  static Result<std::vector<ProbeResult>> read(std::string_view row, std::size_t members);
};

/// Finds what is to blame for what the members saw: hosts, pairs, blocks, or none of them. The same evidence gives the same verdict. What
/// has a cause is not reported a second time by its effects.
PreflightVerdict judge_preflight(const PreflightEvidence& evidence);

}  // namespace rollcall
