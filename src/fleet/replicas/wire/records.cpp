// Who is there, who wants what, and who asks: the small records, written and read.
#include "fleet/replicas/wire/records.hpp"

#include <fmt/format.h>

#include <iterator>
#include <limits>

#include "base/text.hpp"
#include "fleet/wire/raw_values.hpp"
#include "json/json_fields.hpp"
#include "json/json_text.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t most_unable = 256;
constexpr std::size_t most_older = 8192;
constexpr std::size_t most_target_text = 4096;

class OlderOne {
 public:
  std::string id;
  Age age;
};
class ToldBeat {
 public:
  BeatRecord beat;
  std::optional<std::uint64_t> epoch;
  Age age;
  std::vector<OlderOne> older;
};

std::string set_count(std::uint64_t& slot, std::int64_t number) {
  if (number < 0) return fmt::format("is {}, no count", number);
  slot = static_cast<std::uint64_t>(number);
  return {};
}
std::string set_schema_number(int& slot, std::int64_t number) {
  if (number < 1 || number > 1'000'000) return fmt::format("is {}, no schema", number);
  slot = static_cast<int>(number);
  return {};
}
std::string set_flag(bool& slot, std::int64_t number) {
  slot = number == 1;
  return {};
}
std::string set_meta_instance(MetaRecord& meta, std::string_view text) {
  const bool is_fine = Position::parse(std::string(text) + ".0").has_value();
  meta.instance = text;
  return is_fine ? std::string() : fmt::format("is {}, no name of a history", quoted(text, 64));
}
std::string set_meta_schema(MetaRecord& meta, std::int64_t number) { return set_schema_number(meta.schema, number); }
std::string set_meta_min_schema(MetaRecord& meta, std::int64_t number) { return set_schema_number(meta.min_schema, number); }

std::string set_replica_url(ReplicaRecord& replica, std::string_view text) {
  replica.url = printable(text, 256);
  return {};
}
std::string set_replica_version(ReplicaRecord& replica, std::string_view text) {
  replica.version = printable(text, 64);
  return {};
}
std::string set_replica_schema(ReplicaRecord& replica, std::int64_t number) { return set_schema_number(replica.schema, number); }
std::string set_replica_beat(ReplicaRecord& replica, std::int64_t number) { return set_count(replica.beat, number); }
std::string set_replica_leaving(ReplicaRecord& replica, std::int64_t number) { return set_flag(replica.is_leaving, number); }

std::string set_want_target(WantRecord& want, std::string_view text) {
  want.target = text;
  return text.empty() || text.size() > most_target_text ? "is no target" : std::string();
}
std::string set_want_spec(WantRecord& want, std::int64_t number) { return set_flag(want.wants_spec, number); }
std::string set_want_wish(WantRecord& want, std::int64_t number) { return set_count(want.wish, number); }

std::string set_owner_replica(OwnerRecord& owner, std::string_view text) {
  owner.replica = printable(text, 64);
  return {};
}
std::string set_owner_source(OwnerRecord& owner, std::string_view text) {
  owner.source = printable(text, most_target_text);
  return {};
}

std::string set_beat_epoch(ToldBeat& told, std::int64_t number) { return set_count(told.epoch.emplace(), number); }
std::string set_beat_age(ToldBeat& told, std::int64_t milliseconds) { return set_raw_age(told.age, milliseconds); }
std::string set_beat_as_of(ToldBeat& told, std::int64_t number) { return set_count(told.beat.as_of, number); }
std::string set_beat_targets(ToldBeat& told, std::int64_t number) {
  told.beat.targets = static_cast<std::size_t>(std::clamp<std::int64_t>(number, 0, 1'000'000));
  return {};
}
std::string set_beat_trouble(ToldBeat& told, std::string_view text) {
  told.beat.trouble = printable(text, 4096);
  return {};
}
std::string set_older_id(OlderOne& one, std::string_view text) {
  one.id = printable(text, 64);
  return {};
}
std::string set_older_age(OlderOne& one, std::int64_t milliseconds) { return set_raw_age(one.age, milliseconds); }

// clang-format off
constexpr auto meta_fields = json_object<MetaRecord>(
    text_field<set_meta_instance>("instance"),
    integer_field<set_meta_schema>("schema"),
    integer_field<set_meta_min_schema>("min_schema"));
constexpr auto replica_fields = json_object<ReplicaRecord>(
    text_field<set_replica_url>("url"),
    text_field<set_replica_version>("version"),
    integer_field<set_replica_schema>("schema"),
    integer_field<set_replica_beat>("beat"),
    integer_field<set_replica_leaving>("leaving"),
    text_array<&ReplicaRecord::unable>("unable"));
constexpr auto want_fields = json_object<WantRecord>(
    text_field<set_want_target>("target"),
    integer_field<set_want_spec>("spec"),
    integer_field<set_want_wish>("wish"));
constexpr auto owner_fields = json_object<OwnerRecord>(
    text_field<set_owner_replica>("replica"),
    text_field<set_owner_source>("source"));
constexpr auto older_fields = json_object<OlderOne>(
    text_field<set_older_id>("id"),
    integer_field<set_older_age>("age_ms"));
constexpr auto beat_fields = json_object<ToldBeat>(
    integer_field<set_beat_epoch>("epoch"),
    integer_field<set_beat_age>("age_ms"),
    integer_field<set_beat_as_of>("as_of"),
    integer_field<set_beat_targets>("targets"),
    text_field<set_beat_trouble>("trouble"),
    array_field<&ToldBeat::older, older_fields>("older"));
// clang-format on
constexpr JsonForm<MetaRecord> meta_form = json_form<meta_fields>("the store's meta");
constexpr JsonForm<ReplicaRecord> replica_form = json_form<replica_fields>("the store's replica");
constexpr JsonForm<WantRecord> want_form = json_form<want_fields>("the store's want");
constexpr JsonForm<OwnerRecord> owner_form = json_form<owner_fields>("the store's owner");
constexpr JsonForm<ToldBeat> beat_form = json_form<beat_fields>("the store's beat");

}  // namespace

std::string render_meta(const MetaRecord& meta) {
  std::string out = "{";
  append_json_field(out, "instance", meta.instance);
  return out + fmt::format(R"(,"schema":{},"min_schema":{}}})", meta.schema, meta.min_schema);
}

std::string render_replica(const ReplicaRecord& replica) {
  std::string out = "{";
  append_json_field(out, "url", replica.url);
  append_json_field(out, "version", replica.version);
  fmt::format_to(std::back_inserter(out), R"(,"schema":{},"beat":{},"leaving":{},"unable":[)", replica.schema, replica.beat,
                 replica.is_leaving ? 1 : 0);
  for (const std::string& id : replica.unable) {
    if (out.back() != '[') out += ',';
    append_json_string(out, id);
  }
  return out + "]}";
}

std::string render_want(const WantRecord& want) {
  std::string out = "{";
  append_json_field(out, "target", want.target);
  return out + fmt::format(R"(,"spec":{},"wish":{}}})", want.wants_spec ? 1 : 0, want.wish);
}

std::string render_owner(const OwnerRecord& owner) {
  std::string out = "{";
  append_json_field(out, "replica", owner.replica);
  append_json_field(out, "source", owner.source);
  return out + "}";
}

std::string render_beat(const BeatRecord& beat) {
  std::string out =
      fmt::format(R"({{"epoch":{},"age_ms":{},"as_of":{},"targets":{})", beat.epoch, beat.age.count(), beat.as_of, beat.targets);
  append_json_field(out, "trouble", beat.trouble);
  out += ",\"older\":[";
  for (const auto& [id, age] : beat.older) {
    out += out.back() == '[' ? "{" : ",{";
    append_json_field(out, "id", id);
    if (age) fmt::format_to(std::back_inserter(out), ",\"age_ms\":{}", age->count());
    out += '}';
  }
  return out + "]}";
}

Result<MetaRecord> parse_meta(std::string_view json, const ParseLimits& limits) {
  Result<MetaRecord> meta = read_json(meta_form, json, limits);
  if (meta && meta->instance.empty()) return malformed_document(meta_form.name, "instance is missing");
  return meta;
}

Result<ReplicaRecord> parse_replica(std::string_view json, const ParseLimits& limits) {
  Result<ReplicaRecord> replica = read_json(replica_form, json, limits);
  if (replica && replica->unable.size() > most_unable) replica->unable.resize(most_unable);
  return replica;
}

Result<WantRecord> parse_want(std::string_view json, const ParseLimits& limits) {
  Result<WantRecord> want = read_json(want_form, json, limits);
  if (want && want->target.empty()) return malformed_document(want_form.name, "target is missing");
  return want;
}

Result<OwnerRecord> parse_owner(std::string_view json, const ParseLimits& limits) {
  Result<OwnerRecord> owner = read_json(owner_form, json, limits);
  if (owner && owner->replica.empty()) return malformed_document(owner_form.name, "replica is missing");
  return owner;
}

Result<BeatRecord> parse_beat(std::string_view json, const ParseLimits& limits) {
  Result<ToldBeat> told = read_json(beat_form, json, limits);
  if (!told) return told.error();
  if (!told->epoch || !told->age) return malformed_document(beat_form.name, "epoch or age_ms is missing");
  if (told->older.size() > most_older) return malformed_document(beat_form.name, "older is too long");
  BeatRecord beat = std::move(told->beat);
  beat.epoch = *told->epoch;
  beat.age = *told->age;
  for (OlderOne& one : told->older) beat.older.emplace_back(std::move(one.id), one.age);
  return beat;
}

}  // namespace rollcall::fleet
