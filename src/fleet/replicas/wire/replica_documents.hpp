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
#include <utility>
#include <vector>

#include "fleet/wire/documents.hpp"
#include "fleet/wire/known.hpp"
#include "json/limits.hpp"
#include "rollcall/fleet_replicas.hpp"

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
  HelloDocument(int of_schema, std::uint64_t of_epoch, std::string id) : schema(of_schema), epoch(of_epoch), replica(std::move(id)) {}
  int schema = replica_schema;
  std::uint64_t epoch = 0;  ///< of the leader
  std::string replica;  ///< its id
};

/// All that is known of a target. The difference follows in parts.
class TopicDocument {
 public:
  TopicDocument() {}
  std::uint64_t topic = 0;  ///< number of the topic in this stream and later ones of the same leader
  Milliseconds sent_at{0};  ///< on the leader's clock
  std::string target;
  bool is_followed = false;
  Known known;  ///< is sent without status, epoch and times. A spec that is null: as it was sent before, or there is none
  Age age;  ///< of the last poll that had an answer, at sent_at; none: there was none
  bool has_status = false;
  bool is_whole = false;  ///< the difference starts from a status without members, not from the one that was sent before
  int parts = 0;  ///< number of `members` events that follow; 0: the status has not changed
  std::optional<StatusDelta> difference;  ///< of these events together
  std::string accelerator_type;
  bool has_spec = false;
  Age spec_age;
  bool has_history = false;  ///< false: `history` is as it was sent before
  std::vector<PhaseChange> history;
};

/// A part of a difference.
class PartDocument {
 public:
  PartDocument() {}
  std::uint64_t topic = 0;
  MembersDocument members;
};

/// Topics that were polled, and nothing has changed. Without the times: topics that are gone.
class LookedDocument {
 public:
  LookedDocument() {}
  Milliseconds sent_at{0};
  Milliseconds age{0};
  std::vector<std::uint64_t> topics;
};

class ReachedDocument {
 public:
  ReachedDocument() {}
  Milliseconds sent_at{0};
  WallTime leads_since{};  ///< of 1970: not known
  std::vector<FleetReplica> views;  ///< of the replicas that follow
  HeartbeatDocument heartbeat;
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
std::string render_gone(const LookedDocument& document);
std::string render_reached(const ReachedDocument& document);
std::string render_wanted(const WantedDocument& document);

// Errors of all: malformed_response, naming the field; limit_exceeded. Hello and wanted of a schema above `newest`: failed_precondition.
Result<HelloDocument> parse_hello(std::string_view json, const ParseLimits& limits, int newest = replica_schema);
Result<TopicDocument> parse_topic(std::string_view json, const ParseLimits& limits);
Result<PartDocument> parse_part(std::string_view json, const ParseLimits& limits);
Result<LookedDocument> parse_looked(std::string_view json, const ParseLimits& limits);
Result<LookedDocument> parse_gone(std::string_view json, const ParseLimits& limits);
Result<ReachedDocument> parse_reached(std::string_view json, const ParseLimits& limits);
Result<WantedDocument> parse_wanted(std::string_view json, const ParseLimits& limits, int newest = replica_schema);

}  // namespace rollcall::fleet
