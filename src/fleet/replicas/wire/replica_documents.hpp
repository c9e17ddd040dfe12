// What a leader sends the other replicas of a service, by one stream of events, and what they send it, as JSON. Statuses, differences,
// specs and failures are the documents that clients get.
//
// Events: `hello` once; then for each topic `topic`, followed by as many `members` as it says; `looked`, `gone`; and `reached`, whose id is
// the position up to which everything was sent.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/wire/documents.hpp"
#include "json/limits.hpp"

namespace rollcall::fleet {

/// Of all documents below. Both ends of a stream speak the smaller one of their schemas. A later one may have further fields and events,
/// which an earlier one leaves unread.
inline constexpr int replica_schema = 1;

using Milliseconds = std::chrono::milliseconds;
inline constexpr std::size_t max_replicas = 64;  ///< that follow one leader

/// The beginning of a stream.
class HelloDocument {
 public:
  HelloDocument() {}
  int schema = replica_schema;
  std::uint64_t epoch = 0;  ///< of the leader
  std::string replica;  ///< its id
};

/// A change of phase, as PhaseChange.
class PhaseDocument {
 public:
  PhaseDocument() {}
  std::int64_t at_ms = 0;  ///< since 1970
  ClusterPhase phase = ClusterPhase::running;
  std::string state;
  int ready = 0;
  int total = 0;
};

/// All that is known of a target, but for its members.
class TopicDocument {
 public:
  TopicDocument() {}
  std::uint64_t topic = 0;  ///< number of the topic in this stream and later ones of the same leader
  Milliseconds sent_at{0};  ///< on the leader's clock
  std::string target;
  bool is_followed = false;
  std::uint64_t revision = 0;
  std::uint64_t spec_revision = 0;
  std::uint64_t generation = 0;
  Age age;  ///< of the last poll that had an answer, at sent_at; none: there was none
  std::string trouble;
  bool has_status = false;
  bool is_whole = false;  ///< the differences in `members` start from a status without members, not from the one that was sent before
  int parts = 0;  ///< number of `members` events; 0: the status has not changed
  std::string accelerator_type;
  bool has_spec = false;
  bool is_spec_old = false;
  Age spec_age;
  std::uint64_t spec_generation = 0;
  bool has_history = false;  ///< false: `history` is as it was sent before
  std::vector<PhaseDocument> history;
  std::shared_ptr<const Failure> failure;  ///< null: none
  std::shared_ptr<const Result<ClusterSpec>> spec;  ///< null: as it was sent before, or there is none
};

/// A part of a difference.
class PartDocument {
 public:
  PartDocument() {}
  std::uint64_t topic = 0;
  MembersDocument members;
};

/// Topics that were polled, and nothing has changed.
class LookedDocument {
 public:
  LookedDocument() {}
  Milliseconds sent_at{0};
  Milliseconds age{0};
  std::vector<std::uint64_t> topics;
};

class GoneDocument {
 public:
  GoneDocument() {}
  std::vector<std::uint64_t> topics;
};

/// How old what a replica knows is, at the time at which the document is sent.
class ViewDocument {
 public:
  ViewDocument() {}
  std::string replica;
  Age age;  ///< none: not known
};

class ReachedDocument {
 public:
  ReachedDocument() {}
  Milliseconds sent_at{0};
  std::int64_t leads_since_ms = 0;  ///< since 1970; 0: not known
  std::vector<ViewDocument> views;  ///< of the replicas that follow
  FallbackSchedule fallback_schedule;
};

/// A target that has followers at a replica.
class WantedTarget {
 public:
  WantedTarget() {}
  std::string target;
  bool wants_spec = false;
  std::int64_t followers = 0;
  std::int64_t asked = 0;  ///< counts requests for a poll soon
  friend bool operator==(const WantedTarget&, const WantedTarget&) = default;
};

/// All targets that have followers at a replica, as of a version: the same version says the same. Without targets it may say just that, and
/// how old the replica's view is.
class WantedDocument {
 public:
  WantedDocument() {}
  int schema = replica_schema;
  std::string replica;  ///< id of the replica, as in the question that opened its stream
  std::uint64_t version = 0;
  bool is_same = false;  ///< the targets are those that were sent with this version
  Age view_age;  ///< since the replica knew all that the leader did; none: it never has
  std::vector<WantedTarget> targets;
};

std::string render_hello(const HelloDocument& document);
std::string render_topic(const TopicDocument& document);
std::string render_part(std::uint64_t topic, std::uint64_t generation, const StatusDelta& part);
std::string render_looked(const LookedDocument& document);
std::string render_gone(const GoneDocument& document);
std::string render_reached(const ReachedDocument& document);
std::string render_wanted(const WantedDocument& document);

// Errors of all: malformed_response, naming the field; limit_exceeded. Hello and wanted of a schema above `newest`: failed_precondition.
Result<HelloDocument> parse_hello(std::string_view json, const ParseLimits& limits, int newest = replica_schema);
Result<TopicDocument> parse_topic(std::string_view json, const ParseLimits& limits);
Result<PartDocument> parse_part(std::string_view json, const ParseLimits& limits);
Result<LookedDocument> parse_looked(std::string_view json, const ParseLimits& limits);
Result<GoneDocument> parse_gone(std::string_view json, const ParseLimits& limits);
Result<ReachedDocument> parse_reached(std::string_view json, const ParseLimits& limits);
Result<WantedDocument> parse_wanted(std::string_view json, const ParseLimits& limits, int newest = replica_schema);

}  // namespace rollcall::fleet
