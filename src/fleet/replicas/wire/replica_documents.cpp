#include "fleet/replicas/wire/replica_documents.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "base/text.hpp"
#include "fleet/wire/heartbeat_fields.hpp"
#include "fleet/wire/raw_values.hpp"
#include "json/json_fields.hpp"
#include "json/json_text.hpp"
#include "json/raw_json.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_phases_sent = 64;

// Milliseconds on the leader's clock, or since 1970.
class ClockTime {
 public:
  static constexpr JsonKind kind = JsonKind::integer;
  static std::string read(auto& slot, std::int64_t number) {
    constexpr std::int64_t year_2200 = 7'258'118'400'000;
    if (number < 0 || number > year_2200) return fmt::format("is {}, no time", number);
    slot = std::remove_reference_t<decltype(slot)>(Milliseconds(number));
    return {};
  }
  static bool write(std::string& out, Milliseconds time) { return append_json_number(out, time.count()); }
  static bool write(std::string& out, WallTime time) {
    return write(out, std::chrono::duration_cast<Milliseconds>(time.time_since_epoch()));
  }
};
using FlagNumber = NumberUpTo<1, "neither 0 nor 1">;
using Count = NumberUpTo<1 << 20, "out of range">;
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

template <auto Field>
constexpr const auto& in_known = json_path<&TopicDocument::known, Field>;

// clang-format off
constexpr auto hello_fields = json_object<HelloDocument>(
    required(json_field<&HelloDocument::schema, Count>("schema")),
    required(json_field<&HelloDocument::epoch, Generation>("epoch")),
    json_field<&HelloDocument::replica, PrintableText<128>>("replica"));
constexpr auto phase_fields = json_object<PhaseChange>(
    json_field<&PhaseChange::when, ClockTime>("at_ms"),
    json_field<&PhaseChange::phase, PhaseName>("phase"),
    json_field<&PhaseChange::state, PrintableText<256>>("state"),
    json_field<&PhaseChange::ready, Count>("ready"),
    json_field<&PhaseChange::total, Count>("total"));
constexpr auto topic_fields = json_object<TopicDocument>(
    required(json_field<&TopicDocument::topic, Generation>("topic")),
    required(json_field<&TopicDocument::sent_at, ClockTime>("at_ms")),
    required(json_field<&TopicDocument::target, JsonText>("target")),
    json_field<&TopicDocument::is_followed, FlagNumber>("followed"),
    required(json_field<in_known<&Known::revision>, Generation>("revision")),
    json_field<in_known<&Known::spec_revision>, Generation>("spec_revision"),
    json_field<in_known<&Known::generation>, Generation>("generation"),
    json_field<&TopicDocument::age, AgeMilliseconds>("age_ms"),
    json_field<in_known<&Known::trouble>, OptionalText<4096>>("trouble"),
    json_field<&TopicDocument::has_status, FlagNumber>("has_status"),
    json_field<&TopicDocument::is_whole, FlagNumber>("whole"),
    json_field<&TopicDocument::parts, Count>("parts"),
    json_field<&TopicDocument::accelerator_type, OptionalText<256>>("type"),
    json_field<&TopicDocument::has_spec, FlagNumber>("has_spec"),
    json_field<in_known<&Known::is_spec_old>, FlagNumber>("spec_old"),
    json_field<&TopicDocument::spec_age, AgeMilliseconds>("spec_age_ms"),
    json_field<in_known<&Known::spec_generation>, Generation>("spec_generation"),
    json_field<&TopicDocument::has_history, FlagNumber>("has_history"),
    optional_array<&TopicDocument::history, phase_fields>("history"));
constexpr auto part_fields = json_object<PartDocument>(
    required(json_field<&PartDocument::topic, Generation>("topic")));
constexpr auto looked_fields = json_object<LookedDocument>(
    required(json_field<&LookedDocument::sent_at, ClockTime>("at_ms")),
    required(json_field<&LookedDocument::age, AgeMilliseconds>("age_ms")),
    json_field<&LookedDocument::topics, TopicNumbers>("topics"));
constexpr auto gone_topic_fields = json_object<LookedDocument>(
    json_field<&LookedDocument::topics, TopicNumbers>("topics"));
constexpr auto view_fields = json_object<FleetReplica>(
    required(json_field<&FleetReplica::replica, PrintableText<128>>("replica")),
    json_field<&FleetReplica::view_age, AgeMilliseconds>("age_ms"));
constexpr auto reached_fields = json_object<ReachedDocument>(
    required(json_field<&ReachedDocument::sent_at, ClockTime>("at_ms")),
    json_field<&ReachedDocument::leads_since, ClockTime>("since_ms"),
    optional_array<&ReachedDocument::views, view_fields>("views"),
    object_field<&ReachedDocument::heartbeat, heartbeat_event_fields>("heartbeat"));
constexpr auto wanted_target_fields = json_object<WantedTarget>(
    required(json_field<&WantedTarget::target, JsonText>("target")),
    json_field<&WantedTarget::wants_spec, FlagNumber>("spec"),
    json_field<&WantedTarget::followers, Count>("followers"),
    json_field<&WantedTarget::asked, Generation>("asked"));
constexpr auto wanted_fields = json_object<WantedDocument>(
    required(json_field<&WantedDocument::schema, Count>("schema")),
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
constexpr JsonForm<LookedDocument> gone_form = json_form<gone_topic_fields>("the leader's event gone");
constexpr JsonForm<ReachedDocument> reached_form = json_form<reached_fields>("the leader's event reached");
constexpr JsonForm<WantedDocument> wanted_form = json_form<wanted_fields>("the wanted targets of a replica");

// Appends `,"KEY":TEXT` to an object that has fields.
void append_document(std::string& object, std::string_view key, std::string_view text) {
  object.back() = ',';  // the closing brace
  object += fmt::format("\"{}\":{}}}", key, text);
}

template <class Document>
Result<Document> read_of_schema(const JsonForm<Document>& form, std::string_view json, const ParseLimits& limits, int newest) {
  Result<Document> document = read_json(form, json, limits);
  if (!document || (document->schema >= 1 && document->schema <= newest)) return document;
  return Failure(Errc::failed_precondition,
                 fmt::format("{} has schema {}, and this replica speaks 1 to {}", form.name, document->schema, newest))
      .with_hint("run replicas of neighbouring versions only: update one version after the other");
}

}  // namespace

std::string render_hello(const HelloDocument& document) { return to_json(hello_fields, document); }
std::string render_looked(const LookedDocument& document) { return to_json(looked_fields, document); }
std::string render_gone(const LookedDocument& document) { return to_json(gone_topic_fields, document); }
std::string render_reached(const ReachedDocument& document) { return to_json(reached_fields, document); }
std::string render_wanted(const WantedDocument& document) { return to_json(wanted_fields, document); }

std::string render_part(std::uint64_t topic, std::uint64_t generation, const StatusDelta& part) {
  return fmt::format("{{\"topic\":{},\"part\":{}}}", topic, render_members_event(generation, part, Milliseconds(0)));
}

std::string render_topic(const TopicDocument& document) {
  const Known& known = document.known;
  std::string out = to_json(topic_fields, document);
  if (known.failure) append_document(out, "failure", render_failure_body(document.target, *known.failure));
  if (!known.spec) return out;
  if (known.spec->has_value()) {
    append_document(out, "spec", render_spec_body(known.spec_generation, **known.spec));
  } else {
    append_document(out, "spec_failure", render_failure_body(document.target, known.spec->error()));
  }
  return out;
}

Result<HelloDocument> parse_hello(std::string_view json, const ParseLimits& limits, int newest) {
  return read_of_schema(hello_form, json, limits, newest);
}

Result<TopicDocument> parse_topic(std::string_view json, const ParseLimits& limits) {
  Result<TopicDocument> document = read_json(topic_form, json, limits);
  if (!document) return document;
  if (document->history.size() > max_phases_sent) return malformed_document(topic_form.name, "history is too long");
  if (const auto text = raw_json_member(json, "failure")) {
    Result<FailureDocument> failure = parse_failure_body(*text, limits);
    if (!failure) return failure.error();
    document->known.failure = std::make_shared<const Failure>(std::move(failure->failure));
  }
  if (const auto text = raw_json_member(json, "spec_failure")) {
    Result<FailureDocument> failure = parse_failure_body(*text, limits);
    if (!failure) return failure.error();
    document->known.spec = std::make_shared<const Result<ClusterSpec>>(std::move(failure->failure));
  }
  if (const auto text = raw_json_member(json, "spec")) {
    Result<SpecDocument> spec = parse_spec_body(*text, limits);
    if (!spec) return spec.error();
    document->known.spec = std::make_shared<const Result<ClusterSpec>>(std::move(spec->spec));
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
Result<LookedDocument> parse_gone(std::string_view json, const ParseLimits& limits) { return read_json(gone_form, json, limits); }

Result<ReachedDocument> parse_reached(std::string_view json, const ParseLimits& limits) {
  Result<ReachedDocument> document = read_json(reached_form, json, limits);
  if (document && document->views.size() > max_replicas) return malformed_document(reached_form.name, "views has too many replicas");
  return document;
}

Result<WantedDocument> parse_wanted(std::string_view json, const ParseLimits& limits, int newest) {
  return read_of_schema(wanted_form, json, limits, newest);
}

}  // namespace rollcall::fleet
