// Fuzz target: the documents of a service. The first byte selects the document. An accepted document is safe to print, in order, and
// reads as the same after it is written.
#include "fleet/wire/documents.hpp"

#include <cstdint>

#include "base/text.hpp"
#include "check.hpp"

using namespace rollcall;
using namespace rollcall::fleet;

namespace {

void require_printable_line(const std::string& text) { require(printable_line(text) == text); }

void require_members(const std::vector<Member>& members) {
  for (const Member& member : members) {
    require(member.index >= 0 && !member.job.empty());
    for (const std::string& text : {member.job, member.name, member.uid, member.address, member.state.text, member.health.text})
      require_printable_line(text);
    require(member.address.find_first_of(" ,;'\"$`|&<>") == std::string::npos && !member.address.starts_with('-'));
  }
}

void read_status(std::string_view text, const ParseLimits& limits) {
  const Result<StatusDocument> read = parse_status_body(text, limits);
  require_sane(read);
  if (!read) return;
  require_members(read->status.members);
  require_printable_line(read->status.state.text);
  const Result<StatusDocument> again =
      parse_status_body(render_status_body(read->position, read->generation, read->status, read->age), ParseLimits());
  require(again && again->status == read->status && again->position == read->position && again->age == read->age);
  const std::optional<StatusDelta> delta = status_delta(ClusterStatus(), read->status, 1000);
  if (!delta) return;
  ClusterStatus status;
  apply_delta(status, *delta);
  require(status == read->status);
}

void read_members(std::string_view text, const ParseLimits& limits) {
  const Result<MembersDocument> read = parse_members_event(text, limits);
  require_sane(read);
  if (!read) return;
  require_members(read->delta.changed);
  const Result<MembersDocument> again = parse_members_event(render_members_event(read->generation, read->delta, read->age), ParseLimits());
  require(again && again->delta == read->delta && again->age == read->age);
  ClusterStatus status;
  status.members = {Member("worker", 0), Member("worker", 1), Member("ps", 0)};
  apply_delta(status, read->delta);
  require(status.members.size() <= 3 + read->delta.changed.size() && status.members.size() >= read->delta.changed.size());
  for (std::size_t i = 1; i < status.members.size(); ++i) {
    const Member& before = status.members[i - 1];
    require(before.job != status.members[i].job || before.index < status.members[i].index);
  }
}

void read_spec(std::string_view text, const ParseLimits& limits) {
  const Result<SpecDocument> read = parse_spec_body(text, limits);
  require_sane(read);
  if (!read) return;
  for (const ClusterSpec::Job& job : read->spec.job_list()) {
    require_printable_line(job.name);
    for (const auto& [index, address] : job.tasks) require(index >= 0 && !address.empty() && !address.starts_with('-'));
  }
  const Result<SpecDocument> again = parse_spec_body(render_spec_body(read->generation, read->spec, read->age), ParseLimits());
  require(again && again->spec == read->spec);
}

void read_short(std::string_view text, const ParseLimits& limits) {
  const Result<SyncDocument> sync = parse_sync_event(text, limits);
  const Result<TroubleDocument> trouble = parse_trouble_event(text, limits);
  const Result<HeartbeatDocument> heartbeat = parse_heartbeat_event(text, limits);
  require_sane(sync);
  require_sane(trouble);
  require_sane(heartbeat);
  if (trouble) require_printable_line(trouble->message);
  if (heartbeat)
    require(heartbeat->fallback_schedule.poll.count() > 0 && heartbeat->age.value_or(std::chrono::milliseconds(0)).count() >= 0);
  if (sync) require(Position::parse(sync->etag.to_text()) == sync->etag);
  const std::optional<FallbackSchedule> fallback_schedule = FallbackSchedule::parse_header(text);
  if (fallback_schedule)
    require(FallbackSchedule::parse_header(fallback_schedule->to_header()) == fallback_schedule && fallback_schedule->poll.count() > 0);
}

void read_failure(std::string_view text, const ParseLimits& limits) {
  const Result<FailureDocument> failure = parse_failure_body(text, limits);
  require_sane(failure);
  if (failure) require_printable_line(failure->failure.what());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  return read_as_chosen(data, size, {read_status, read_members, read_spec, read_short, read_failure});
}
