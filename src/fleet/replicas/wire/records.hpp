// What replicas of a service write into their store, as JSON. It is read back like any answer: size, depth and fields are checked, and a
// text that breaks these rules is an error, not a record.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/wire/documents.hpp"
#include "json/limits.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

inline constexpr int store_schema = 1;  ///< of all records below

/// Key `meta`: which history the store holds.
class MetaRecord {
 public:
  MetaRecord() {}
  std::string instance;  ///< of Position; another one when the store's revisions have gone back
  int schema = store_schema;
  int min_schema = store_schema;  ///< who speaks only older ones must not take part
};

/// Key `replica/R`, with a lease: it is there, and rewrites this every second.
class ReplicaRecord {
 public:
  ReplicaRecord() {}
  std::string url;  ///< where it serves; may be empty
  std::string version;
  int schema = store_schema;
  std::uint64_t beat = 0;  ///< counts the writes
  bool is_leaving = false;
  std::vector<std::string> unable;  ///< ids of sources that it could not ask lately
};

/// Key `want/T/R`, with the lease of R: somebody wants to hear of T there.
class WantRecord {
 public:
  WantRecord() {}
  std::string target;
  bool wants_spec = false;
  std::uint64_t wish = 0;  ///< another one: its source shall be looked at soon
  friend bool operator==(const WantRecord&, const WantRecord&) = default;
};

/// Key `owner/S`, with the lease of R: who asks S. Its revision of creation is the epoch.
class OwnerRecord {
 public:
  OwnerRecord() {}
  std::string replica;
  std::string source;  ///< its name: `tpu/p/z`
};

/// Key `beat/S`: how old all of what is followed of S was when this was written.
class BeatRecord {
 public:
  BeatRecord() {}
  std::uint64_t epoch = 0;
  std::chrono::milliseconds age{0};
  std::uint64_t as_of = 0;  ///< revision that the store had at least, when the ages were taken; see as_of()
  std::size_t targets = 0;  ///< that are followed
  std::string trouble;  ///< of the last look
  /// Ids of targets that are older; no age: this owner has not looked at it yet.
  std::vector<std::pair<std::string, Age>> older;
};

/// A change of phase, or of how many are ready in it, as `status/T` has it.
class PhaseRecord {
 public:
  PhaseRecord() {}
  std::int64_t at_ms = 0;  ///< since 1970
  ClusterPhase phase = ClusterPhase::running;
  std::string state;
  int ready = 0;
  int total = 0;
};

/// Key `status/T`: all that is known of a target, without its members, which are in `status/T/000` and on, and its spec (`status/T/spec`).
class HeadRecord {
 public:
  HeadRecord() {}
  std::string target;
  std::string source;  ///< its name
  std::uint64_t epoch = 0;  ///< of the source when this was written
  bool is_followed = false;  ///< by the owner of that epoch, since this was written: its beats count
  std::uint64_t generation = 0;
  std::uint64_t revision = 0;  ///< at which status, failure or trouble changed; 0: that of this write
  std::uint64_t spec_revision = 0;  ///< the same of the spec
  bool has_spec = false;
  bool is_spec_old = false;  ///< the status has changed since the spec was asked for
  Age spec_age;  ///< as `age`, of that question
  std::uint64_t spec_generation = 0;  ///< `generation` then
  std::uint64_t based_on = 0;  ///< the write before it, of which chunks and spec stay; 0: all of them are written anew
  Age age;  ///< when this was planned; none: nobody had an answer yet
  std::uint64_t as_of = 0;  ///< as in BeatRecord
  std::size_t members = 0;
  std::optional<ClusterStatus> status;  ///< without members
  std::optional<Failure> failure;
  std::string trouble;
  std::vector<PhaseRecord> history;
};

/// The value of `status/T` that says: what was known of a target is not kept any more.
std::string render_gone_record();
bool is_gone_record(std::string_view json) noexcept;

/// What is told is of the time when it was planned, and it may be long on its way: it is as old as the revision that its owner knew then.
/// Who does not say it, or names what was not there yet, is taken to have written at once.
constexpr std::uint64_t as_of(std::uint64_t told, std::uint64_t written) noexcept { return told == 0 || told > written ? written : told; }

inline constexpr std::size_t members_a_chunk = 256;

std::string render_meta(const MetaRecord& meta);
std::string render_replica(const ReplicaRecord& replica);
std::string render_want(const WantRecord& want);
std::string render_owner(const OwnerRecord& owner);
std::string render_beat(const BeatRecord& beat);
std::string render_head(const HeadRecord& head);
/// Members of one chunk.
std::string render_chunk(const std::vector<Member>& members, std::size_t from, std::size_t to);
std::string render_spec_record(const Result<ClusterSpec>& spec);

// Errors of all: malformed_response, naming the field; limit_exceeded.
Result<MetaRecord> parse_meta(std::string_view json, const ParseLimits& limits);
Result<ReplicaRecord> parse_replica(std::string_view json, const ParseLimits& limits);
Result<WantRecord> parse_want(std::string_view json, const ParseLimits& limits);
Result<OwnerRecord> parse_owner(std::string_view json, const ParseLimits& limits);
Result<BeatRecord> parse_beat(std::string_view json, const ParseLimits& limits);
Result<HeadRecord> parse_head(std::string_view json, const ParseLimits& limits);
/// Errors besides: more than members_a_chunk.
Result<std::vector<Member>> parse_chunk(std::string_view json, const ParseLimits& limits);
/// The spec, or what cluster_spec() failed with.
Result<std::shared_ptr<const Result<ClusterSpec>>> parse_spec_record(std::string_view json, const ParseLimits& limits);

}  // namespace rollcall::fleet
