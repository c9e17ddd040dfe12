// The documents of the HTTP interface, as JSON: written by the service, read by its client, which trusts them no more than any answer.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/wire/position.hpp"
#include "json/limits.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// How a client that has lost its servers asks the cloud itself, so that all of them together stay within its quota: it begins `after`
/// the loss, at a random moment of `spread`, and then looks every `poll`.
class FallbackSchedule {
 public:
  FallbackSchedule() {}
  std::chrono::seconds after{60};
  std::chrono::seconds spread{1800};
  std::chrono::seconds poll{1800};
  /// `after=60, spread=2000, poll=2000`: the header Rollcall-Fallback.
  std::string to_header() const;
  static std::optional<FallbackSchedule> parse_header(std::string_view text);
  friend bool operator==(const FallbackSchedule&, const FallbackSchedule&) = default;
};

/// What differs between two statuses of a cluster.
class StatusDelta {
 public:
  StatusDelta() {}
  ClusterPhase phase = ClusterPhase::running;
  Condition state;
  std::vector<std::string> jobs;
  int expected = 0;
  std::vector<Notice> notices;
  std::vector<Member> changed;                    ///< as they are now, those that joined included
  std::vector<std::pair<std::string, int>> gone;  ///< job and index
  friend bool operator==(const StatusDelta&, const StatusDelta&) = default;
};
/// From one status to the next; none when more than `most` members changed or went, together.
std::optional<StatusDelta> status_delta(const ClusterStatus& before, const ClusterStatus& now, std::size_t max);
/// The status after it; members stay in their order (job by job in order of jobs, indices ascending).
void apply_delta(ClusterStatus& status, StatusDelta delta);

/// How far a cluster is: of the views progress and task.
class ProgressDocument {
 public:
  ProgressDocument() {}
  std::uint64_t generation = 0;
  ClusterPhase phase = ClusterPhase::running;
  std::string state;
  bool is_ready = false;
  int ready = 0;
  int total = 0;
  std::string missing;  ///< in words; bounded
  std::string trouble;
  friend bool operator==(const ProgressDocument&, const ProgressDocument&) = default;
};

// Bodies of GET, without a line end; and events' data, which is a body with `age_ms` in it. Absent: none.
using Age = std::optional<std::chrono::milliseconds>;
/// How old at `now` that is which was seen then; never too small. None: it was not seen.
inline Age age_at(const std::optional<SteadyTime>& seen_at, SteadyTime now) {
  if (!seen_at) return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(std::max(now - *seen_at, Duration(0)));
}
std::string render_status_body(const Position& position, std::uint64_t generation, const ClusterStatus& status, Age age = {});
std::string render_spec_body(std::uint64_t generation, const ClusterSpec& spec, Age age = {});
std::string render_progress_body(const ProgressDocument& progress, Age age = {});
/// Of a cluster that is ready, to the one at `self` (empty: it did not tell).
std::string render_task_body(const ProgressDocument& progress, const ClusterSpec& spec, std::string_view self, Age age = {});
/// Its part `task`: `{"job":…,"index":…,"address":…}` of the one whose address `self` is; `null`: it is nobody's, or of several.
std::string render_own_task(const ClusterSpec& spec, std::string_view self);
std::string render_members_event(std::uint64_t generation, const StatusDelta& delta, std::chrono::milliseconds age);
std::string render_sync_event(const Position& etag, std::uint64_t generation, std::chrono::milliseconds age);
/// Before the first look there is no age.
std::string render_trouble_event(std::string_view message, Age age);
std::string render_heartbeat_event(const FallbackSchedule& fallback_schedule, Age age);
/// An element of `failures[]`, as everywhere.
std::string render_failure_body(std::string_view target, const Failure& failure);

/// `Status` is a ClusterStatus, or a pointer to one in a document that is only written. So are `Spec` and `Delta`.
template <class Status>
class BasicStatusDocument {
 public:
  BasicStatusDocument() {}
  BasicStatusDocument(Position at, std::uint64_t number, Status cluster, Age old)
      : position(std::move(at)), generation(number), status(std::move(cluster)), age(old) {}
  Position position;
  std::uint64_t generation = 0;
  Status status{};
  Age age;
};
template <class Spec>
class BasicSpecDocument {
 public:
  BasicSpecDocument() {}
  BasicSpecDocument(std::uint64_t number, Spec cluster, Age old) : generation(number), spec(std::move(cluster)), age(old) {}
  std::uint64_t generation = 0;
  Spec spec{};
  Age age;
};
template <class Delta>
class BasicMembersDocument {
 public:
  BasicMembersDocument() {}
  BasicMembersDocument(std::uint64_t number, Delta difference, std::chrono::milliseconds old)
      : generation(number), delta(std::move(difference)), age(old) {}
  std::uint64_t generation = 0;
  Delta delta{};
  std::chrono::milliseconds age{0};
};
using StatusDocument = BasicStatusDocument<ClusterStatus>;
using SpecDocument = BasicSpecDocument<ClusterSpec>;
using MembersDocument = BasicMembersDocument<StatusDelta>;
class SyncDocument {
 public:
  SyncDocument() {}
  SyncDocument(Position at, std::uint64_t number, std::chrono::milliseconds old) : etag(std::move(at)), generation(number), age(old) {}
  Position etag;
  std::uint64_t generation = 0;
  std::chrono::milliseconds age{0};
};
class TroubleDocument {
 public:
  TroubleDocument() {}
  TroubleDocument(std::string_view text, Age old) : message(text), age(old) {}
  std::string message;
  Age age;  ///< absent: it was never looked at
};
class HeartbeatDocument {
 public:
  HeartbeatDocument() {}
  HeartbeatDocument(const FallbackSchedule& schedule, Age old) : fallback_schedule(schedule), age(old) {}
  FallbackSchedule fallback_schedule;
  Age age;  ///< absent: it was never looked at
};

class FailureDocument {
 public:
  FailureDocument() {}
  Failure failure;
};

// Errors: malformed_response, naming the field; limit_exceeded. Texts come out printable, addresses checked as those of an API.
Result<StatusDocument> parse_status_body(std::string_view json, const ParseLimits& limits);
Result<SpecDocument> parse_spec_body(std::string_view json, const ParseLimits& limits);
Result<MembersDocument> parse_members_event(std::string_view json, const ParseLimits& limits);
Result<SyncDocument> parse_sync_event(std::string_view json, const ParseLimits& limits);
Result<TroubleDocument> parse_trouble_event(std::string_view json, const ParseLimits& limits);
Result<HeartbeatDocument> parse_heartbeat_event(std::string_view json, const ParseLimits& limits);
/// The failure that a service tells: its code, words, hint and the story of its requests.
Result<FailureDocument> parse_failure_body(std::string_view json, const ParseLimits& limits);

}  // namespace rollcall::fleet
