// The documents of the HTTP interface, written.
#include <fmt/format.h>

#include <iterator>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "fleet/wire/documents.hpp"
#include "json/json_text.hpp"
#include "render/render_cluster.hpp"
#include "render/render_status.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall::fleet {
namespace {

std::string with_age(std::string body, Age age) {
  if (age) fmt::format_to(std::back_inserter(body), ",\"age_ms\":{}", age->count());
  return body + "}";
}

std::string progress_members(const ProgressDocument& progress) {
  std::string out = fmt::format("{{\"generation\":{}", progress.generation);
  append_json_field(out, "phase", to_string(progress.phase));
  append_json_field(out, "state", progress.state);
  fmt::format_to(std::back_inserter(out), ",\"is_ready\":{},\"ready\":{},\"total\":{}", progress.is_ready, progress.ready, progress.total);
  append_json_field(out, "missing", progress.missing);
  append_json_field(out, "trouble", progress.trouble);
  return out;
}

// Whom an asker means by one of its own addresses, with a port or without.
class OwnAddress {
 public:
  explicit OwnAddress(std::string_view self) {
    const Result<Endpoint> endpoint = Endpoint::parse(self);
    if (!endpoint) return;
    host_ = endpoint->host;
    port_ = endpoint->port;
    identity_ = HostIdentity(host_);
  }
  bool is_of(std::string_view address) const {
    if (host_.empty()) return false;
    // Most of ten thousand are somebody else's: the rest is for the few that may be one's own. An IPv6 address has many spellings.
    const bool is_spelled_freely = host_.find(':') != std::string::npos;
    const std::string& start = identity_.ip ? host_ : identity_.name;
    if (!is_spelled_freely && !equals_ignoring_case(address.substr(0, start.size()), start)) return false;
    const Result<Endpoint> endpoint = Endpoint::parse(address);
    if (!endpoint || (port_ && endpoint->port != port_)) return false;
    return HostIdentity(endpoint->host) == identity_;
  }

 private:
  std::string host_;
  std::optional<std::uint16_t> port_;
  HostIdentity identity_{""};
};

std::string schedule_json(const FallbackSchedule& fallback_schedule) {
  return fmt::format("{{\"after_s\":{},\"spread_s\":{},\"poll_s\":{}}}", fallback_schedule.after.count(), fallback_schedule.spread.count(),
                     fallback_schedule.poll.count());
}

}  // namespace

std::string FallbackSchedule::to_header() const {
  return fmt::format("after={}, spread={}, poll={}", after.count(), spread.count(), poll.count());
}

std::string render_status_body(const Position& position, std::uint64_t generation, const ClusterStatus& status, Age age) {
  std::string out = "{";
  append_json_field(out, "position", position.to_text());
  fmt::format_to(std::back_inserter(out), ",\"generation\":{},\"status\":", generation);
  out += render_whole_status_json(status);
  return with_age(std::move(out), age);
}

std::string render_spec_body(std::uint64_t generation, const ClusterSpec& spec, Age age) {
  return with_age(fmt::format("{{\"generation\":{},\"cluster\":{},\"failures\":[]", generation, spec.to_json()), age);
}

std::string render_progress_body(const ProgressDocument& progress, Age age) { return with_age(progress_members(progress), age); }

std::string render_task_body(const ProgressDocument& progress, const ClusterSpec& spec, std::string_view self, Age age) {
  std::size_t tasks = 0;
  std::string first;
  for (const ClusterSpec::Job& job : spec.job_list()) {
    if (tasks == 0 && !job.tasks.empty()) first = job.tasks.begin()->second;
    tasks += job.tasks.size();
  }
  std::string out = progress_members(progress);
  fmt::format_to(std::back_inserter(out), ",\"tasks\":{}", tasks);
  append_json_field(out, "first", first);
  if (!self.empty()) out += ",\"task\":" + render_own_task(spec, self);
  return with_age(std::move(out), age);
}

std::string render_own_task(const ClusterSpec& spec, std::string_view self) {
  const OwnAddress own(self);
  std::string found;
  for (const ClusterSpec::Job& job : spec.job_list()) {
    for (const auto& [index, address] : job.tasks) {
      if (address.empty() || !own.is_of(address)) continue;
      if (!found.empty()) return "null";
      found = "{";
      append_json_field(found, "job", job.name);
      fmt::format_to(std::back_inserter(found), ",\"index\":{}", index);
      append_json_field(found, "address", address);
      found += '}';
    }
  }
  return found.empty() ? "null" : found;
}

std::string render_members_event(std::uint64_t generation, const StatusDelta& delta, std::chrono::milliseconds age) {
  ClusterStatus parts;
  parts.phase = delta.phase;
  parts.state = delta.state;
  parts.jobs = delta.jobs;
  parts.expected = delta.expected;
  parts.notices = delta.notices;
  parts.members = delta.changed;
  std::string out = fmt::format("{{\"generation\":{},{},\"gone\":[", generation, render_status_parts_json(parts, "changed"));
  for (const auto& [job, index] : delta.gone) {
    out += out.back() == '[' ? "{" : ",{";
    append_json_field(out, "job", job);
    fmt::format_to(std::back_inserter(out), ",\"index\":{}}}", index);
  }
  return with_age(out + "]", age);
}

std::string render_sync_event(const Position& etag, std::uint64_t generation, std::chrono::milliseconds age) {
  std::string out = "{";
  append_json_field(out, "etag", etag.to_text());
  fmt::format_to(std::back_inserter(out), ",\"generation\":{}", generation);
  return with_age(std::move(out), age);
}

std::string render_trouble_event(std::string_view message, Age age) {
  std::string out = "{";
  append_json_field(out, "message", message);
  return with_age(std::move(out), age);
}

std::string render_heartbeat_event(const FallbackSchedule& fallback_schedule, Age age) {
  if (!age) return fmt::format("{{\"fallback\":{}}}", schedule_json(fallback_schedule));
  return fmt::format("{{\"age_ms\":{},\"fallback\":{}}}", age->count(), schedule_json(fallback_schedule));
}

// Which server the service asked is told where that is known to all, or the machine itself, as with a simulated cloud. Another one's name
// or address says what the service's own networks are.
std::string render_failure_body(std::string_view target, const Failure& failure) {
  Failure raw = failure;
  const Result<Url> asked = Url::parse(failure.target());
  const bool is_known = asked && (is_host_below(asked->host, "googleapis.com") || is_loopback(asked->host));
  if (!is_known) raw.with_target({});
  return render_failure_json(TargetFailure(std::string(target), std::move(raw)));
}

}  // namespace rollcall::fleet
