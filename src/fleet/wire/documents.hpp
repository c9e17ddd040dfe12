// The documents of the HTTP interface, as JSON: written by the service and read by its client, which checks them like any answer.
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

/// The schedule by which clients that have lost their servers ask the cloud themselves, so that all of them together stay within its quota:
/// a client begins `after` the loss, at a random moment of `spread`, and then polls every `poll`.
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

/// The difference between two statuses of a cluster.
class StatusDelta {
 public:
  StatusDelta() {}
  ClusterPhase phase = ClusterPhase::running;
  Condition state;
  std::vector<std::string> jobs;
  int expected = 0;
  std::vector<JobSize> job_sizes;
  std::string expected_source;
  std::vector<Cause> causes;
  std::vector<Notice> notices;
  std::vector<Member> changed;  ///< as they are now, with new members
  std::vector<std::pair<std::string, int>> gone;  ///< job and index
  friend bool operator==(const StatusDelta&, const StatusDelta&) = default;
};
/// What a delta says of the cluster as a whole: as it is now.
void set_whole(StatusDelta& delta, const ClusterStatus& now);
/// The difference from one status to the next; none if more than `max` members changed or went.
std::optional<StatusDelta> status_delta(const ClusterStatus& before, const ClusterStatus& now, std::size_t max);
/// Applies the difference to `status`. Members stay in their order: job by job in the order of jobs, indices ascending.
void apply_delta(ClusterStatus& status, StatusDelta delta);

/// How far a cluster is: the views progress and task.
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

// Bodies of GET, without a line end, and data of events, which are bodies with `age_ms`. Age absent: it is left out.
using Age = std::optional<std::chrono::milliseconds>;
/// The age at `now` of what was seen at `seen_at`, rounded up. None: it was not seen.
inline Age age_at(const std::optional<SteadyTime>& seen_at, SteadyTime now) {
  if (!seen_at) return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(std::max(now - *seen_at, Duration(0)));
}
std::string render_status_body(const Position& position, std::uint64_t generation, const ClusterStatus& status, Age age = {});
std::string render_spec_body(std::uint64_t generation, const ClusterSpec& spec, Age age = {});
std::string render_progress_body(const ProgressDocument& progress, Age age = {});
/// The view task of a cluster that is ready, for a client with the address `self` (empty: it did not give one).
std::string render_task_body(const ProgressDocument& progress, const ClusterSpec& spec, std::string_view self, Age age = {});
/// The value of `task`: `{"job":…,"index":…,"address":…}` of the task whose address is `self`; `null` if no task has it, or several.
std::string render_own_task(const ClusterSpec& spec, std::string_view self);
std::string render_members_event(std::uint64_t generation, const StatusDelta& delta, std::chrono::milliseconds age);
std::string render_sync_event(const Position& etag, std::uint64_t generation, std::chrono::milliseconds age);
/// Before the first poll there is no age.
std::string render_trouble_event(std::string_view message, Age age);
std::string render_heartbeat_event(const FallbackSchedule& fallback_schedule, Age age);
/// An element of `failures[]`, as in other documents.
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
  Age age;  ///< absent: there was no poll yet
};
class HeartbeatDocument {
 public:
  HeartbeatDocument() {}
  HeartbeatDocument(const FallbackSchedule& schedule, Age old) : fallback_schedule(schedule), age(old) {}
  FallbackSchedule fallback_schedule;
  Age age;  ///< absent: there was no poll yet
};

class FailureDocument {
 public:
  FailureDocument() {}
  Failure failure;
};

// Errors: malformed_response, naming the field; limit_exceeded. Texts are made printable; addresses are checked like those of an API.
Result<StatusDocument> parse_status_body(std::string_view json, const ParseLimits& limits);
Result<SpecDocument> parse_spec_body(std::string_view json, const ParseLimits& limits);
Result<MembersDocument> parse_members_event(std::string_view json, const ParseLimits& limits);
Result<SyncDocument> parse_sync_event(std::string_view json, const ParseLimits& limits);
Result<TroubleDocument> parse_trouble_event(std::string_view json, const ParseLimits& limits);
Result<HeartbeatDocument> parse_heartbeat_event(std::string_view json, const ParseLimits& limits);
/// A failure that a service sent: its code, texts, hint and the counts of its requests.
Result<FailureDocument> parse_failure_body(std::string_view json, const ParseLimits& limits);

}  // namespace rollcall::fleet
