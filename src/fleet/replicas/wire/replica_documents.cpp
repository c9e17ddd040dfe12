#include "fleet/replicas/wire/replica_documents.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/wire/raw_values.hpp"
#include "json/json_fields.hpp"
#include "json/json_text.hpp"
#include "json/raw_json.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_phases_sent = 64;
constexpr std::int64_t max_counted_members = 1 << 20;
constexpr std::int64_t max_parts = max_counted_members;

class FlagNumber {
 public:
  static constexpr JsonKind kind = JsonKind::integer;
  static std::string read(bool& slot, std::int64_t number) {
    if (number != 0 && number != 1) return fmt::format("is {}, neither 0 nor 1", number);
    slot = number == 1;
    return {};
  }
  static bool write(std::string& out, bool flag) { return append_json_number(out, flag ? 1 : 0); }
};
class ClockTime {
 public:
  static constexpr JsonKind kind = JsonKind::integer;
  static std::string read(Milliseconds& slot, std::int64_t number) {
    if (number < 0) return fmt::format("is {}, no time", number);
    slot = Milliseconds(number);
    return {};
  }
  static bool write(std::string& out, Milliseconds time) { return append_json_number(out, time.count()); }
};
constexpr std::int64_t year_2200 = 7'258'118'400'000;
using WallMilliseconds = NumberUpTo<year_2200, "no time">;
using MemberCount = NumberUpTo<max_counted_members, "no number of members">;
using PartCount = NumberUpTo<max_parts, "no number of parts">;
using SchemaNumber = NumberUpTo<1'000'000, "no number of a schema">;
using PhaseName = WordOf<ClusterPhase, 3, "phase of a cluster">;

// `3,17,18`: numbers of topics.
class TopicNumbers : public JsonText {
 public:
  static std::string read(std::vector<std::uint64_t>& slot, std::string_view text) {
    if (text.empty()) return {};
    for (const std::string_view part : split(text, ',')) {
      const std::optional<std::uint64_t> number = parse_decimal<std::uint64_t>(part);
      if (!number) return fmt::format("has {}, no number of a topic", quoted(part, 32));
      slot.push_back(*number);
    }
    return {};
  }
  static bool write(std::string& out, const std::vector<std::uint64_t>& topics) {
    return JsonText::write(out, fmt::format("{}", fmt::join(topics, ",")));
  }
};

// clang-format off
constexpr auto hello_fields = json_object<HelloDocument>(
    required(json_field<&HelloDocument::schema, SchemaNumber>("schema")),
    required(json_field<&HelloDocument::epoch, Generation>("epoch")),
    json_field<&HelloDocument::replica, PrintableText<128>>("replica"));
constexpr auto phase_fields = json_object<PhaseDocument>(
    json_field<&PhaseDocument::at_ms, WallMilliseconds>("at_ms"),
    json_field<&PhaseDocument::phase, PhaseName>("phase"),
    json_field<&PhaseDocument::state, PrintableText<256>>("state"),
    json_field<&PhaseDocument::ready, MemberCount>("ready"),
    json_field<&PhaseDocument::total, MemberCount>("total"));
constexpr auto topic_fields = json_object<TopicDocument>(
    required(json_field<&TopicDocument::topic, Generation>("topic")),
    required(json_field<&TopicDocument::sent_at, ClockTime>("at_ms")),
    required(json_field<&TopicDocument::target, JsonText>("target")),
    json_field<&TopicDocument::is_followed, FlagNumber>("followed"),
    required(json_field<&TopicDocument::revision, Generation>("revision")),
    json_field<&TopicDocument::spec_revision, Generation>("spec_revision"),
    json_field<&TopicDocument::generation, Generation>("generation"),
    json_field<&TopicDocument::age, AgeMilliseconds>("age_ms"),
    json_field<&TopicDocument::trouble, OptionalText<4096>>("trouble"),
    json_field<&TopicDocument::has_status, FlagNumber>("has_status"),
    json_field<&TopicDocument::is_whole, FlagNumber>("whole"),
    json_field<&TopicDocument::parts, PartCount>("parts"),
    json_field<&TopicDocument::accelerator_type, OptionalText<256>>("type"),
    json_field<&TopicDocument::has_spec, FlagNumber>("has_spec"),
    json_field<&TopicDocument::is_spec_old, FlagNumber>("spec_old"),
    json_field<&TopicDocument::spec_age, AgeMilliseconds>("spec_age_ms"),
    json_field<&TopicDocument::spec_generation, Generation>("spec_generation"),
    json_field<&TopicDocument::has_history, FlagNumber>("has_history"),
    optional_array<&TopicDocument::history, phase_fields>("history"));
constexpr auto part_fields = json_object<PartDocument>(
    required(json_field<&PartDocument::topic, Generation>("topic")));
constexpr auto looked_fields = json_object<LookedDocument>(
    required(json_field<&LookedDocument::sent_at, ClockTime>("at_ms")),
    required(json_field<&LookedDocument::age, AgeMilliseconds>("age_ms")),
    json_field<&LookedDocument::topics, TopicNumbers>("topics"));
constexpr auto gone_topic_fields = json_object<GoneDocument>(
    json_field<&GoneDocument::topics, TopicNumbers>("topics"));
constexpr auto view_fields = json_object<ViewDocument>(
    required(json_field<&ViewDocument::replica, PrintableText<128>>("replica")),
    json_field<&ViewDocument::age, AgeMilliseconds>("age_ms"));
constexpr auto reached_fields = json_object<ReachedDocument>(
    required(json_field<&ReachedDocument::sent_at, ClockTime>("at_ms")),
    json_field<&ReachedDocument::leads_since_ms, WallMilliseconds>("since_ms"),
    optional_array<&ReachedDocument::views, view_fields>("views"));
constexpr auto wanted_target_fields = json_object<WantedTarget>(
    required(json_field<&WantedTarget::target, JsonText>("target")),
    json_field<&WantedTarget::wants_spec, FlagNumber>("spec"),
    json_field<&WantedTarget::followers, MemberCount>("followers"),
    json_field<&WantedTarget::asked, Generation>("asked"));
constexpr auto wanted_fields = json_object<WantedDocument>(
    required(json_field<&WantedDocument::schema, SchemaNumber>("schema")),
    required(json_field<&WantedDocument::replica, PrintableText<128>>("replica")),
    required(json_field<&WantedDocument::version, Generation>("version")),
    json_field<&WantedDocument::is_same, FlagNumber>("same"),
    json_field<&WantedDocument::view_age, AgeMilliseconds>("view_age_ms"),
    array_field<&WantedDocument::targets, wanted_target_fields>("targets"));
// clang-format on
constexpr JsonForm<HelloDocument> hello_form = json_form<hello_fields>("the leader's event hello");
constexpr JsonForm<TopicDocument> topic_form = json_form<topic_fields>("the leader's event topic");
constexpr JsonForm<PartDocument> part_form = json_form<part_fields>("the leader's event members");
constexpr JsonForm<LookedDocument> looked_form = json_form<looked_fields>("the leader's event looked");
constexpr JsonForm<GoneDocument> gone_form = json_form<gone_topic_fields>("the leader's event gone");
constexpr JsonForm<ReachedDocument> reached_form = json_form<reached_fields>("the leader's event reached");
constexpr JsonForm<WantedDocument> wanted_form = json_form<wanted_fields>("the wanted targets of a replica");

// Appends `,"KEY":TEXT` to an object that has fields.
void append_document(std::string& object, std::string_view key, std::string_view text) {
  object.pop_back();  // the closing brace
  object.append(",\"").append(key).append("\":").append(text).append("}");
}

Result<void> check_schema(int schema, int newest, std::string_view who) {
  if (schema >= 1 && schema <= newest) return {};
  return Failure(Errc::failed_precondition,
                 fmt::format("{} speaks schema {} of replicas, and this one speaks 1 to {}", who, schema, newest))
      .with_hint("run replicas of neighbouring versions only: update one version after the other");
}

}  // namespace

std::string render_hello(const HelloDocument& document) { return to_json(hello_fields, document); }
std::string render_looked(const LookedDocument& document) { return to_json(looked_fields, document); }
std::string render_gone(const GoneDocument& document) { return to_json(gone_topic_fields, document); }
std::string render_wanted(const WantedDocument& document) { return to_json(wanted_fields, document); }

std::string render_reached(const ReachedDocument& document) {
  std::string out = to_json(reached_fields, document);
  append_document(out, "heartbeat", render_heartbeat_event(document.fallback_schedule, Age()));
  return out;
}

std::string render_part(std::uint64_t topic, std::uint64_t generation, const StatusDelta& part) {
  return fmt::format("{{\"topic\":{},\"part\":{}}}", topic, render_members_event(generation, part, Milliseconds(0)));
}

std::string render_topic(const TopicDocument& document) {
  std::string out = to_json(topic_fields, document);
  if (document.failure) append_document(out, "failure", render_failure_body(document.target, *document.failure));
  if (!document.spec) return out;
  const Result<ClusterSpec>& spec = *document.spec;
  if (spec) {
    append_document(out, "spec", render_spec_body(document.spec_generation, *spec));
  } else {
    append_document(out, "spec_failure", render_failure_body(document.target, spec.error()));
  }
  return out;
}

Result<HelloDocument> parse_hello(std::string_view json, const ParseLimits& limits, int newest) {
  Result<HelloDocument> document = read_json(hello_form, json, limits);
  if (!document) return document;
  const Result<void> checked = check_schema(document->schema, newest, "the leader");
  if (!checked) return checked.error();
  return document;
}

Result<TopicDocument> parse_topic(std::string_view json, const ParseLimits& limits) {
  Result<TopicDocument> document = read_json(topic_form, json, limits);
  if (!document) return document;
  if (document->history.size() > max_phases_sent) return malformed_document(topic_form.name, "history is too long");
  if (const auto text = raw_json_member(json, "failure")) {
    Result<FailureDocument> failure = parse_failure_body(*text, limits);
    if (!failure) return failure.error();
    document->failure = std::make_shared<const Failure>(std::move(failure->failure));
  }
  if (const auto text = raw_json_member(json, "spec_failure")) {
    Result<FailureDocument> failure = parse_failure_body(*text, limits);
    if (!failure) return failure.error();
    document->spec = std::make_shared<const Result<ClusterSpec>>(std::move(failure->failure));
  }
  if (const auto text = raw_json_member(json, "spec")) {
    Result<SpecDocument> spec = parse_spec_body(*text, limits);
    if (!spec) return spec.error();
    document->spec = std::make_shared<const Result<ClusterSpec>>(std::move(spec->spec));
  }
  return document;
}

Result<PartDocument> parse_part(std::string_view json, const ParseLimits& limits) {
  Result<PartDocument> document = read_json(part_form, json, limits);
  if (!document) return document;
  const auto text = raw_json_member(json, "part");
  if (!text) return malformed_document(part_form.name, "part is missing");
  Result<MembersDocument> members = parse_members_event(*text, limits);
  if (!members) return members.error();
  document->members = std::move(*members);
  return document;
}

Result<LookedDocument> parse_looked(std::string_view json, const ParseLimits& limits) { return read_json(looked_form, json, limits); }
Result<GoneDocument> parse_gone(std::string_view json, const ParseLimits& limits) { return read_json(gone_form, json, limits); }

Result<ReachedDocument> parse_reached(std::string_view json, const ParseLimits& limits) {
  Result<ReachedDocument> document = read_json(reached_form, json, limits);
  if (!document) return document;
  if (document->views.size() > max_replicas) return malformed_document(reached_form.name, "views has too many replicas");
  const auto text = raw_json_member(json, "heartbeat");
  if (!text) return malformed_document(reached_form.name, "heartbeat is missing");
  const Result<HeartbeatDocument> reached = parse_heartbeat_event(*text, limits);
  if (!reached) return reached.error();
  document->fallback_schedule = reached->fallback_schedule;
  return document;
}

Result<WantedDocument> parse_wanted(std::string_view json, const ParseLimits& limits, int newest) {
  Result<WantedDocument> document = read_json(wanted_form, json, limits);
  if (!document) return document;
  const Result<void> checked = check_schema(document->schema, newest, "the replica");
  if (!checked) return checked.error();
  return document;
}

}  // namespace rollcall::fleet
