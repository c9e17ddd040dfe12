// Fuzz target: every form in which commands print an answer; the first byte chooses the kind of document. No printed text contains a
// character that controls a terminal or misleads a reader, line ends come only from the printer, and an address is always a valid one.
#include <algorithm>

#include "base/text.hpp"
#include "check.hpp"
#include "cluster/service_address.hpp"
#include "command/show/command_sink.hpp"
#include "command/show/followed_text.hpp"
#include "command/show/found_text.hpp"
#include "command/show/wait_table.hpp"
#include "launch/job_environment.hpp"
#include "readiness/wait_judge.hpp"
#include "render/render_cluster.hpp"
#include "render/render_event.hpp"
#include "render/render_found.hpp"
#include "render/render_status.hpp"
#include "render/render_topology.hpp"
#include "resolvers/gce/wire/instance_list.hpp"
#include "resolvers/kubernetes/rules/pod_status.hpp"
#include "resolvers/kubernetes/wire/pod_list.hpp"
#include "resolvers/kubernetes/wire/watch_event.hpp"
#include "resolvers/queued/queued_status.hpp"
#include "resolvers/queued/wire/queued_resource.hpp"
#include "resolvers/tpu/tpu_spec.hpp"
#include "resolvers/tpu/tpu_status.hpp"
#include "resolvers/tpu/wire/tpu_node_list.hpp"
#include "rollcall/endpoint.hpp"
#include "support/whole_status.hpp"

using namespace rollcall;
using rollcall::testing::status_diff;

namespace {

// The list is repeated here, so that a gap in the library's table is detected.
bool is_obeyed(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
         code == 0x200E || code == 0x200F || code == 0x061C || code == 0x2028 || code == 0x2029;
}

void require_harmless(std::string_view text, bool has_lines) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    require(c.is_valid);
    require(!is_obeyed(c.code) || (has_lines && c.code == '\n'));
    at += c.size;
  }
}

void require_plain_line(std::string_view text) { require_harmless(text, false); }

std::size_t lines_of(std::string_view text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

void require_address(const std::string& address) {
  const Result<Endpoint> endpoint = Endpoint::parse(address);
  require(endpoint && endpoint->port && service_ip(endpoint->host) == endpoint->host);
}

void print(const ClusterSpec& spec) {
  std::size_t tasks = 0;
  std::size_t rows = 0;
  for (const ClusterSpec::Job& job : spec.job_list()) {
    for (const auto& [index, address] : job.tasks) require_address(address);
    tasks += job.tasks.size();
    rows += std::max<std::size_t>(job.tasks.size(), 1);
  }
  const std::string text = render_text(spec, false);
  require_harmless(text, true);
  require(lines_of(text) == rows);
  const std::string json = render_json(spec);
  require_harmless(json, true);
  require(lines_of(json) == 1);
  const Result<EnvironmentVariables> variables = render_job_environment(spec, std::nullopt, "grpc");
  if (!variables) {
    require(variables.error().code() == Errc::limit_exceeded);
    return;
  }
  for (const auto& [name, value] : *variables) {
    require_plain_line(value);
    if (name == "ROLLCALL_NUM_TASKS") require(value == std::to_string(tasks));
    if (name == "ROLLCALL_ADDRESSES" && tasks > 0) require(split(value, ',').size() == tasks);
  }
}

void print(const Event& event) {
  require_plain_line(command::event_text(event, {}, 3));
  require_plain_line(render_event_json(event, {}));
}

void print(const Failure& failure) {
  require_plain_line(failure.message());
  Event event;
  event.kind = EventKind::call_finished;
  event.failure = &failure;
  print(event);
  require_harmless(render_missing_json(TargetFailure("t", failure)) + "\n", true);
}

void print(const std::vector<ClusterChange>& changes, const ClusterStatus& status) {
  for (ClusterChange change : changes) {
    require_plain_line(command::change_line(change, {}));
    require_plain_line(render_change_json(change, {}));
    for (const auto& [name, value] : command::change_variables(change, status)) {
      require_plain_line(value);
      require(!value.starts_with('-'));
    }
  }
}

void print(const ClusterStatus& status) {
  constexpr std::size_t max = 64;  // the common part is not tried for all
  if (status.members.size() > max) return;
  for (const Member& member : status.members) {
    if (!member.address.empty()) require_address(member.address);
    const std::string label = member.label();
    require_plain_line(label);
    Event event;
    event.kind = EventKind::member_waiting;
    event.subject = label;
    event.text = member.state.text;
    print(event);
  }
  print(status.spec());
  WaitOptions options;
  options.members(static_cast<int>(status.members.size()));
  WaitVerdict verdict = judge_status(status, usually_ready, options, {}, "tpu:t");
  if (verdict.lost) print(*verdict.lost);
  WaitProgress progress;
  progress.status = status;
  progress.missing = std::move(verdict.missing);
  progress.total = verdict.total;
  require_plain_line(progress.line());
  require_plain_line(progress.missing_text());
  require_plain_line(render_progress_json(progress));
  for (const std::string& line : command::wait_table(command::WaitSubject("tpu:t", std::chrono::minutes(30)), progress, {}, 79, 20, false))
    require_plain_line(line);
  print(status_diff(ClusterStatus(), status, {}), status);
  ClusterStatus later = status;
  for (Member& member : later.members) {
    std::swap(member.name, member.uid);
    member.health = member.state;
    member.address.clear();
  }
  print(status_diff(status, later, {}), later);
}

void print(const Found& found) {
  const command::FoundRow row(found);
  command::ColumnList columns;
  for (const command::FoundColumn& column : command::found_columns()) columns.push_back(&column);
  const command::FoundTable whole(columns, {row}, std::nullopt, true);
  const command::FoundTable narrow(columns, {row}, 60, true);
  for (const std::string& text : {whole.line(row), narrow.line(row), render_found_json(row.found, row.kind) + "\n"}) {
    require_harmless(text, true);
    require(lines_of(text) == 1);
  }
}

void print(const TpuNode& node) {
  const ClusterStatus status = tpu_status(node.id, node, "worker");
  print(status);
  if (status.members.size() > 64) return;
  const Result<ClusterSpec::Tasks> tasks = worker_tasks(node.id, node);
  Found found;
  found.name = node.id;
  found.state = node.state;
  found.health = node.health;
  found.accelerator_type = node.accelerator_type;
  found.queued_resource = node.queued_resource;
  if (tasks) {
    ClusterSpec spec;
    require(spec.set_job("worker", *tasks).has_value());
    print(spec);
    for (const auto& [index, address] : *tasks) found.addresses.push_back(address);
  } else {
    print(tasks.error());
  }
  print(found);
  const Result<AcceleratorType> type = accelerator_of(node.id, node);
  if (!type || type->hosts() > 64) return;
  TpuLayout layout(*type);
  layout.target = "tpu:" + node.id;
  layout.state = node.state;
  layout.workers = found.addresses;
  require_harmless(render_topology_text(layout), true);
  require_harmless(render_topology_json(layout), true);
  require_harmless(render_topology_svg(layout), true);
}

void print(std::vector<Pod> pods) {
  for (const PodAddress which : {PodAddress::host, PodAddress::pod}) {
    KubernetesOptions options;
    options.address(which);
    FoundPodList found;
    for (const Pod& pod : pods) {
      Pod copy = pod;
      found.push_back(found_pod(copy, which, AddressFamily::any));
    }
    PodPointers pointers;
    for (const FoundPod& pod : found) pointers.push_back(&pod);
    if (pointers.size() > 64) return;
    ClusterStatus status;
    FirstOrdinal first;
    PodClock clock{WallTime()};
    if (!pointers.empty()) add_pods(status, "worker", pointers, options, first, clock);
    print(status);
    const Result<void> fit = fit_pods(pointers, options, clock.now);
    if (!fit) {
      print(fit.error());
      continue;
    }
    ClusterSpec spec;
    spec.set_job("worker", pod_addresses(pointers, options));
    print(spec);
  }
}

template <class T, class Use>
void use(const Result<T>& parsed, Use print_it) {
  if (parsed) {
    print_it(*parsed);
  } else {
    print(parsed.error());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0: use(parse_tpu_node(text), [](const TpuNode& node) { print(node); }); break;
    case 1:
      use(parse_tpu_node_list(text), [](const TpuNodeList& list) {
        for (const TpuNode& node : list.nodes) print(node);
        for (const auto& fault : list.faults) print(about_tpu(fault.id, fault.problem));
      });
      break;
    case 2: use(parse_pod_list(text), [](const PodList& list) { print(list.pods); }); break;
    case 3:
      use(parse_instance_list(text), [](const InstancePage& page) {
        for (const Instance& instance : page.instances) {
          for (const Instance::Interface& nic : instance.interfaces)
            require(service_ip(nic.ip) == nic.ip && service_ip(nic.ipv6) == nic.ipv6);
        }
        require_plain_line(page.warning.describe());
      });
      break;
    case 4: use(parse_queued_resource(text), [](const QueuedResource& request) { print(queued_status("q", request)); }); break;
    default: use(parse_watch_event(text), [](const WatchEvent& event) { print(std::vector<Pod>(1, event.pod)); }); break;
  }
  return 0;
}
