// The documents about a cluster's progress and the client's own task. They are only written.
#include <fmt/format.h>

#include "base/append_formatted.hpp"
#include "base/ip.hpp"
#include "base/text.hpp"
#include "fleet/wire/documents.hpp"
#include "json/json_text.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall::fleet {
namespace {

std::string with_age(std::string body, Age age) {
  if (age) append_formatted(body, ",\"age_ms\":{}", age->count());
  return body + "}";
}

std::string progress_members(const ProgressDocument& progress) {
  std::string out = fmt::format("{{\"generation\":{}", progress.generation);
  append_json_field(out, "phase", to_string(progress.phase));
  append_json_field(out, "state", progress.state);
  append_formatted(out, ",\"is_ready\":{},\"ready\":{},\"total\":{}", progress.is_ready, progress.ready, progress.total);
  append_json_field(out, "missing", progress.missing);
  append_json_field(out, "trouble", progress.trouble);
  return out;
}

// Finds the task with one of the client's own addresses, with a port or without.
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
    // A cheap comparison first, since most of ten thousand addresses are of other tasks. An IPv6 address has many spellings.
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

}  // namespace

std::string render_progress_body(const ProgressDocument& progress, Age age) { return with_age(progress_members(progress), age); }

std::string render_task_body(const ProgressDocument& progress, const ClusterSpec& spec, std::string_view self, Age age) {
  std::size_t tasks = 0;
  std::string first;
  for (const ClusterSpec::Job& job : spec.job_list()) {
    if (tasks == 0 && !job.tasks.empty()) first = job.tasks.begin()->second;
    tasks += job.tasks.size();
  }
  std::string out = progress_members(progress);
  append_formatted(out, ",\"tasks\":{}", tasks);
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
      append_formatted(found, ",\"index\":{}", index);
      append_json_field(found, "address", address);
      found += '}';
    }
  }
  return found.empty() ? "null" : found;
}

}  // namespace rollcall::fleet
