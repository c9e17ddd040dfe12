// A cluster, a failure and the short events, read; and how clients share a quota.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.hpp"
#include "cluster/service_address.hpp"
#include "fleet/wire/documents.hpp"
#include "fleet/wire/raw_values.hpp"
#include "json/json_fields.hpp"
#include "json/raw_json.hpp"

namespace rollcall::fleet {
namespace {

// What any of these may say.
class RawShort {
 public:
  std::optional<Position> etag;
  std::optional<std::uint64_t> generation;
  Age age;
  std::optional<std::string> message;
  std::optional<FallbackSchedule> fallback_schedule;
};

class RawFailure {
 public:
  std::optional<Errc> code;
  std::string message;
  std::string hint;
  std::string asked;
  Phase phase = Phase::none;
  int attempts = 0;
  int status = 0;
  std::int64_t elapsed_ms = 0;
};

std::string set_short_etag(RawShort& raw, std::string_view text) { return set_raw_position(raw.etag, text); }
std::string set_short_generation(RawShort& raw, std::int64_t number) { return set_raw_generation(raw.generation, number); }
std::string set_short_age(RawShort& raw, std::int64_t milliseconds) { return set_raw_age(raw.age, milliseconds); }
std::string set_trouble(RawShort& raw, std::string_view text) {
  raw.message = printable(text, 4096);
  return {};
}

constexpr std::int64_t max_schedule = 24 * 60 * 60;
std::string set_schedule(std::chrono::seconds FallbackSchedule::* part, RawShort& raw, std::int64_t seconds, std::int64_t min) {
  if (seconds < min || seconds > max_schedule)
    return fmt::format("is {}, not a number of seconds from {} to {}", seconds, min, max_schedule);
  if (!raw.fallback_schedule) raw.fallback_schedule.emplace();
  *raw.fallback_schedule.*part = std::chrono::seconds(seconds);
  return {};
}
std::string set_schedule_after(RawShort& raw, std::int64_t seconds) { return set_schedule(&FallbackSchedule::after, raw, seconds, 0); }
std::string set_schedule_spread(RawShort& raw, std::int64_t seconds) { return set_schedule(&FallbackSchedule::spread, raw, seconds, 0); }
std::string set_schedule_poll(RawShort& raw, std::int64_t seconds) { return set_schedule(&FallbackSchedule::poll, raw, seconds, 1); }

std::string set_failure_code(RawFailure& raw, std::string_view word) {
  raw.code = value_named<Errc>(word, static_cast<std::size_t>(Errc::invalid_argument), static_cast<std::size_t>(Errc::deadline_exceeded));
  // Who cancelled is the asker, and nobody else.
  const bool is_known = raw.code && *raw.code != Errc::cancelled;
  return is_known ? std::string() : fmt::format("is {}, no kind of failure", quoted(word, 64));
}
std::string set_failure_message(RawFailure& raw, std::string_view text) {
  raw.message = printable(text, 4096);
  return {};
}
std::string set_failure_hint(RawFailure& raw, std::string_view text) {
  raw.hint = printable(text, 4096);
  return {};
}
std::string set_failure_asked(RawFailure& raw, std::string_view text) {
  raw.asked = printable(text, 4096);
  return {};
}
std::string set_failure_phase(RawFailure& raw, std::string_view word) {
  const auto phase = value_named<Phase>(word, 0, static_cast<std::size_t>(Phase::overall) + 1);
  if (!phase) return fmt::format("is {}, no phase of a request", quoted(word, 64));
  raw.phase = *phase;
  return {};
}
std::string set_failure_count(int& slot, std::int64_t number) {
  if (number < 0 || number > std::numeric_limits<int>::max()) return fmt::format("is {}, out of range", number);
  slot = static_cast<int>(number);
  return {};
}
std::string set_failure_attempts(RawFailure& raw, std::int64_t number) { return set_failure_count(raw.attempts, number); }
std::string set_failure_status(RawFailure& raw, std::int64_t number) { return set_failure_count(raw.status, number); }
std::string set_failure_elapsed(RawFailure& raw, std::int64_t milliseconds) {
  Age elapsed;
  std::string fault = set_raw_age(elapsed, milliseconds);
  raw.elapsed_ms = elapsed ? elapsed->count() : 0;
  return fault;
}

// clang-format off
constexpr auto spec_body_fields = json_object<RawShort>(
    integer_field<set_short_generation>("generation"),
    integer_field<set_short_age>("age_ms"));
constexpr auto sync_event_fields = json_object<RawShort>(
    text_field<set_short_etag>("etag"),
    integer_field<set_short_generation>("generation"),
    integer_field<set_short_age>("age_ms"));
constexpr auto trouble_event_fields = json_object<RawShort>(
    text_field<set_trouble>("message"),
    integer_field<set_short_age>("age_ms"));
constexpr auto schedule_fields = json_object<RawShort>(
    integer_field<set_schedule_after>("after_s"),
    integer_field<set_schedule_spread>("spread_s"),
    integer_field<set_schedule_poll>("poll_s"));
constexpr auto heartbeat_event_fields = json_object<RawShort>(
    integer_field<set_short_age>("age_ms"),
    inner_field<schedule_fields>("fallback"));
constexpr auto failure_body_fields = json_object<RawFailure>(
    text_field<set_failure_code>("code"),
    text_field<set_failure_message>("message"),
    text_field<set_failure_hint>("hint"),
    text_field<set_failure_asked>("asked"),
    text_field<set_failure_phase>("phase"),
    integer_field<set_failure_attempts>("attempts"),
    integer_field<set_failure_status>("http_status"),
    integer_field<set_failure_elapsed>("elapsed_ms"));
// clang-format on

constexpr JsonForm<RawShort> spec_body_form = json_form<spec_body_fields>("the service's cluster");
constexpr JsonForm<RawShort> sync_event_form = json_form<sync_event_fields>("the service's event sync");
constexpr JsonForm<RawShort> trouble_event_form = json_form<trouble_event_fields>("the service's event trouble");
constexpr JsonForm<RawShort> heartbeat_event_form = json_form<heartbeat_event_fields>("the service's event beat");
constexpr JsonForm<RawFailure> failure_body_form = json_form<failure_body_fields>("the service's failure");

template <class Form>
Failure lacks(const Form& form, std::string_view name) {
  return malformed_document(form.name, fmt::format("{} is missing", name));
}

// What becomes of a cluster's text is tasks, whose addresses go into programs.
Result<ClusterSpec> read_raw_cluster(std::string_view json, const ParseLimits& limits) {
  const auto text = raw_json_member(json, "cluster");
  if (!text) return malformed_document(spec_body_form.name, "cluster is missing");
  if (text->size() > limits.max_document)
    return Failure(Errc::limit_exceeded, fmt::format("{}: cluster is longer than {} bytes", spec_body_form.name, limits.max_document));
  Result<ClusterSpec> spec = ClusterSpec::from_json(*text);
  if (!spec) return malformed_document(spec_body_form.name, spec.error().what());
  std::size_t tasks = 0;
  for (const ClusterSpec::Job& job : spec->job_list()) {
    if (const std::string fault = job_name_fault(job.name); !fault.empty())
      return malformed_document(spec_body_form.name, "a job " + fault);
    for (const auto& [index, address] : job.tasks) {
      if (++tasks > limits.max_endpoints)
        return Failure(Errc::limit_exceeded, fmt::format("{}: more than {} tasks", spec_body_form.name, limits.max_endpoints));
      if (!is_member_address(address))
        return malformed_document(spec_body_form.name, fmt::format("the address of {} {} is {}", job.name, index, not_an_address(address)));
    }
  }
  return spec;
}

}  // namespace

std::optional<FallbackSchedule> FallbackSchedule::parse_header(std::string_view text) {
  std::array<std::optional<std::int64_t>, 3> seconds;
  constexpr std::array<std::string_view, 3> names = {"after", "spread", "poll"};
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const auto* const name = std::find(names.begin(), names.end(), trim(part.substr(0, equals)));
    if (name == names.end()) continue;  // of a later version
    auto& slot = seconds[static_cast<std::size_t>(name - names.begin())];
    if (slot) return std::nullopt;
    slot = parse_decimal<std::int64_t>(trim(part.substr(equals + 1)), 0, max_schedule);
    if (!slot) return std::nullopt;
  }
  if (!seconds[0] || !seconds[1] || seconds[2].value_or(0) == 0) return std::nullopt;
  FallbackSchedule fallback_schedule;
  fallback_schedule.after = std::chrono::seconds(*seconds[0]);
  fallback_schedule.spread = std::chrono::seconds(*seconds[1]);
  fallback_schedule.poll = std::chrono::seconds(*seconds[2]);
  return fallback_schedule;
}

Result<SpecDocument> parse_spec_body(std::string_view json, const ParseLimits& limits) {
  const Result<RawShort> raw = read_json(spec_body_form, json, limits);
  if (!raw) return raw.error();
  if (!raw->generation) return lacks(spec_body_form, "generation");
  Result<ClusterSpec> spec = read_raw_cluster(json, limits);
  if (!spec) return spec.error();
  SpecDocument document;
  document.generation = *raw->generation;
  document.spec = std::move(*spec);
  document.age = raw->age;
  return document;
}

Result<SyncDocument> parse_sync_event(std::string_view json, const ParseLimits& limits) {
  Result<RawShort> raw = read_json(sync_event_form, json, limits);
  if (!raw) return raw.error();
  if (!raw->etag || !raw->generation || !raw->age) return lacks(sync_event_form, "etag, generation or age_ms");
  SyncDocument document;
  document.etag = std::move(*raw->etag);
  document.generation = *raw->generation;
  document.age = *raw->age;
  return document;
}

Result<TroubleDocument> parse_trouble_event(std::string_view json, const ParseLimits& limits) {
  Result<RawShort> raw = read_json(trouble_event_form, json, limits);
  if (!raw) return raw.error();
  if (!raw->message) return lacks(trouble_event_form, "message");
  TroubleDocument document;
  document.message = std::move(*raw->message);
  document.age = raw->age;
  return document;
}

Result<HeartbeatDocument> parse_heartbeat_event(std::string_view json, const ParseLimits& limits) {
  const Result<RawShort> raw = read_json(heartbeat_event_form, json, limits);
  if (!raw) return raw.error();
  if (!raw->fallback_schedule) return lacks(heartbeat_event_form, "fallback");
  HeartbeatDocument document;
  document.fallback_schedule = *raw->fallback_schedule;
  document.age = raw->age;
  return document;
}

Result<FailureDocument> parse_failure_body(std::string_view json, const ParseLimits& limits) {
  Result<RawFailure> raw = read_json(failure_body_form, json, limits);
  if (!raw) return raw.error();
  if (!raw->code || raw->message.empty()) return lacks(failure_body_form, "code or message");
  FailureDocument document;
  Failure& failure = document.failure;
  failure = Failure(*raw->code, std::move(raw->message));
  failure.with_hint(std::move(raw->hint)).with_target(std::move(raw->asked)).with_phase(raw->phase);
  failure.with_attempts(raw->attempts).with_last_status(raw->status).with_elapsed(std::chrono::milliseconds(raw->elapsed_ms));
  return document;
}

}  // namespace rollcall::fleet
