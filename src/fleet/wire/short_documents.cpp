// A cluster's addresses, a failure, the short events, and how clients share a quota.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "cluster/service_address.hpp"
#include "fleet/wire/documents.hpp"
#include "fleet/wire/heartbeat_fields.hpp"
#include "fleet/wire/raw_values.hpp"
#include "json/json_fields.hpp"
#include "json/raw_json.hpp"
#include "render/failure_fields.hpp"
#include "render/render_cluster.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::string_view cluster_key = "cluster";
class SpecJson {
 public:
  static constexpr JsonKind kind = JsonKind::unread;  // by read_cluster()
  static bool write(std::string& out, const ClusterSpec& spec) {
    out += spec.to_json();
    return true;
  }
};
template <class Document>
void write_no_failures(std::string& out, const Document&) {
  out += "[]";
}
std::string check_failure(Failure& failure) { return failure.what().empty() ? "code or message is missing" : std::string(); }

// clang-format off
template <class Document>
constexpr auto spec_body_fields = json_object<Document>(
    required(json_field<&Document::generation, Generation>("generation")),
    json_field<&Document::spec, SpecJson>(cluster_key),
    written_field<write_no_failures<Document>>("failures"),
    json_field<&Document::age, AgeMilliseconds>("age_ms"));
constexpr auto sync_event_fields = json_object<SyncDocument>(
    required(json_field<&SyncDocument::etag, PositionText>("etag")),
    required(json_field<&SyncDocument::generation, Generation>("generation")),
    required(json_field<&SyncDocument::age, AgeMilliseconds>("age_ms")));
constexpr auto trouble_event_fields = json_object<TroubleDocument>(
    required(json_field<&TroubleDocument::message, PrintableText<4096>>("message")),
    json_field<&TroubleDocument::age, AgeMilliseconds>("age_ms"));
// clang-format on

constexpr JsonForm<SpecDocument> spec_body_form = json_form<spec_body_fields<SpecDocument>>("the service's cluster");
constexpr JsonForm<SyncDocument> sync_event_form = json_form<sync_event_fields>("the service's event sync", "etag, generation or age_ms");
constexpr JsonForm<TroubleDocument> trouble_event_form = json_form<trouble_event_fields>("the service's event trouble");
constexpr JsonForm<HeartbeatDocument> heartbeat_event_form = json_form<heartbeat_event_fields>("the service's event beat");
constexpr JsonForm<Failure> failure_body_form = json_form<failure_fields, check_failure>("the service's failure", "code or message");

// Checks job names and addresses, since programs use them.
Result<ClusterSpec> read_cluster(std::string_view json, const ParseLimits& limits) {
  const auto text = raw_json_member(json, cluster_key);
  if (!text) return malformed_document(spec_body_form.name, fmt::format("{} is missing", cluster_key));
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

std::string FallbackSchedule::to_header() const {
  return fmt::format("after={}, spread={}, poll={}", after.count(), spread.count(), poll.count());
}

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

std::string render_spec_body(std::uint64_t generation, const ClusterSpec& spec, Age age) {
  using Sent = BasicSpecDocument<const ClusterSpec*>;
  return to_json(spec_body_fields<Sent>, Sent(generation, &spec, age));
}

std::string render_sync_event(const Position& etag, std::uint64_t generation, std::chrono::milliseconds age) {
  return to_json(sync_event_fields, SyncDocument(etag, generation, age));
}

std::string render_trouble_event(std::string_view message, Age age) { return to_json(trouble_event_fields, TroubleDocument(message, age)); }

std::string render_heartbeat_event(const FallbackSchedule& fallback_schedule, Age age) {
  return to_json(heartbeat_event_fields, HeartbeatDocument(fallback_schedule, age));
}

// Names the server that the service asked only if it is Google's or on the service's own machine, as a simulated cloud is. Names and
// addresses of other servers would disclose the service's own networks.
std::string render_failure_body(std::string_view target, const Failure& failure) {
  Failure sent = failure;
  const Result<Url> asked = Url::parse(failure.target());
  const bool is_known = asked && (is_host_below(asked->host, "googleapis.com") || is_loopback(asked->host));
  if (!is_known) sent.with_target({});
  return render_failure_json(TargetFailure(std::string(target), std::move(sent)));
}

Result<SpecDocument> parse_spec_body(std::string_view json, const ParseLimits& limits) {
  Result<SpecDocument> document = read_json(spec_body_form, json, limits);
  if (!document) return document;
  Result<ClusterSpec> spec = read_cluster(json, limits);
  if (!spec) return spec.error();
  document->spec = std::move(*spec);
  return document;
}

Result<SyncDocument> parse_sync_event(std::string_view json, const ParseLimits& limits) { return read_json(sync_event_form, json, limits); }

Result<TroubleDocument> parse_trouble_event(std::string_view json, const ParseLimits& limits) {
  return read_json(trouble_event_form, json, limits);
}

Result<HeartbeatDocument> parse_heartbeat_event(std::string_view json, const ParseLimits& limits) {
  return read_json(heartbeat_event_form, json, limits);
}

Result<FailureDocument> parse_failure_body(std::string_view json, const ParseLimits& limits) {
  FailureDocument document;
  if (const Result<void> read = read_json_into(document.failure, failure_body_form, json, limits); !read) return read.error();
  return document;
}

}  // namespace rollcall::fleet
