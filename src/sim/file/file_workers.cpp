// The workers of a simulation file: of nodes, and without a node.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "rollcall/accelerator.hpp"
#include "rollcall/device.hpp"
#include "sim/file/file.hpp"

namespace rollcall::sim {

namespace {

constexpr std::size_t max_workers = 10'000;   // without a node
constexpr std::size_t max_moments = 100'000;  // of one node's workers, or of one worker
constexpr std::size_t max_message_bytes = 200;
constexpr std::array<std::string_view, 2> runtimes = {"tensorflow", "none"};
constexpr std::array<std::string_view, 3> faults = {"none", "stall", "garbage"};
constexpr std::array<std::string_view, 17> statuses = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

// The changes of a timeline's entry.
struct WorkerChange {
  Duration at{0};
  std::optional<bool> is_running;
  std::optional<int> cores;
  std::shared_ptr<const std::vector<std::string>> devices;
  std::optional<Duration> delay;
  std::optional<WorkerFault> fault;
  std::optional<RpcStatus> status;
  std::string message;
  std::optional<std::uint64_t> times;
};

// A worker as written in the file. Values that it inherits are absent.
struct WorkerDraft {
  WorkerChange base;
  std::optional<std::string> job;
  std::optional<bool> is_alone;
  std::vector<WorkerChange> timeline;
  std::vector<WorkerDraft> except;
  std::optional<std::size_t> number;
  Endpoint address;
  std::string cluster;
  std::optional<int> task;
};

void read_runtime(WorkerChange& change, const FileValue& value) {
  if (const auto number = value.word("runtime", runtimes)) change.is_running = runtimes[*number] == "tensorflow";
}
constexpr FileKey<WorkerChange> runtime_key() {
  FileKey<WorkerChange> key = by<read_runtime>("runtime");
  key.words = runtimes;
  return key;
}

void read_devices(WorkerChange& change, const FileValue& value) {
  std::vector<std::string> devices;
  value.read(devices);
  change.devices = std::make_shared<const std::vector<std::string>>(std::move(devices));
}

void read_message(WorkerChange& change, const FileValue& value) {
  value.read(change.message);
  if (change.message.size() > max_message_bytes) value.complain(fmt::format("a message has at most {} bytes", max_message_bytes));
}

constexpr auto change_form = file_form<WorkerChange>(
    "worker_moment", member<&WorkerChange::at>("at"), runtime_key(), whole<&WorkerChange::cores>("cores", 0, 1'000'000),
    by<read_devices>("devices"), member<&WorkerChange::delay>("delay"), word<&WorkerChange::fault>("fault", "fault", faults),
    word<&WorkerChange::status>("status", "status", statuses), by<read_message>("message"),
    whole<&WorkerChange::times>("times", 0, 1'000'000'000'000));

void check_change(const WorkerChange& change, const FileValue& value) {
  if (value.has_problem()) return;
  if (change.fault && change.status) return value.complain("give either a fault or a status");
  if (!change.message.empty() && !change.status) return value.complain("message needs a status");
  if (change.times && !change.fault && !change.status && !change.delay) return value.complain("times needs a fault, a status or a delay");
}

void read_timeline(WorkerDraft& draft, const FileValue& value) {
  read_list(value, [&draft](const FileValue& one) {
    WorkerChange change;
    read_object(one, change_form, change);
    check_change(change, one);
    append_moment(draft.timeline, std::move(change), one);
    if (draft.timeline.size() > max_moments) one.complain(fmt::format("a timeline has at most {} entries", max_moments));
  });
}

void read_job(WorkerDraft& draft, const FileValue& value) {
  std::string job;
  value.read(job);
  if (value.has_problem()) return;
  const auto device = Device::parse("/job:" + job);
  if (!device || device->job != job || device->to_text() != "/job:" + job)
    return value.complain(fmt::format("{} is no name of a job: letters, digits and underscores, a letter first", quoted(job)));
  draft.job = std::move(job);
}

constexpr std::array<std::string_view, 2> known_words = {"cluster", "itself"};

constexpr FileKey<WorkerDraft> entries_key = by<read_timeline, describe<change_form>>("timeline");

// The keys of all kinds of workers: those of an entry except `at`, the job, and the entries.
template <class... More>
constexpr auto with_common(std::string_view section, const More&... more) {
  return file_form<WorkerDraft>(section, keys_of<change_form, 1, &WorkerDraft::base>(), by<read_job>("job"),
                                word<&WorkerDraft::is_alone>("knows", "word", known_words), entries_key, more...);
}

constexpr auto except_form = with_common("workers_except", whole<&WorkerDraft::number>("worker", 0, 65535));

void read_exception(WorkerDraft& draft, const FileValue& value) {
  WorkerDraft other;
  read_object(value, except_form, other);
  check_change(other.base, value);
  if (value.has_problem()) return;
  if (!other.number) return value.complain("say which worker: {\"worker\": 2, …}");
  const bool is_known =
      std::any_of(draft.except.begin(), draft.except.end(), [&](const WorkerDraft& one) { return one.number == other.number; });
  if (is_known) return value.complain(fmt::format("worker {} is there twice", *other.number));
  draft.except.push_back(std::move(other));
}

constexpr auto node_workers_form = with_common("node_workers", each<read_exception, describe<except_form>>("except"));

void read_address(WorkerDraft& draft, const FileValue& value) {
  std::string text;
  value.read(text);
  if (value.has_problem()) return;
  const auto address = Endpoint::parse(text);
  if (!address) return value.complain("expected an address with or without a port, such as \"10.0.0.2:8470\" or \"[fd20::1]:8470\"");
  draft.address = *address;
  if (!draft.address.port) draft.address.port = default_worker_port;
}

constexpr auto worker_form = with_common("worker", by<read_address>("address"), member<&WorkerDraft::cluster>("cluster"),
                                         whole<&WorkerDraft::task>("task", 0, 2147483647));

void apply(WorkerMoment& moment, const WorkerChange& change) {
  moment.at = change.at;
  if (change.is_running) moment.is_running = *change.is_running;
  if (change.cores) moment.cores = *change.cores;
  if (change.devices) moment.devices = change.devices;
  if (change.delay) moment.delay = *change.delay;
  if (change.fault || change.status) {  // the later one replaces the other
    moment.fault = change.fault.value_or(WorkerFault::none);
    moment.status = change.status.value_or(RpcStatus::ok);
    moment.message = change.message;
  }
  if (change.fault || change.status || change.delay) moment.times = change.times;
}

WorkerModel model_of(WorkerMoment start, const std::string& job, bool is_alone, const std::vector<WorkerChange>& timeline) {
  WorkerModel out;
  out.job = job;
  out.is_alone = is_alone;
  out.timeline.push_back(start);
  for (const WorkerChange& change : timeline) {
    apply(start, change);
    if (change.at == Duration(0)) out.timeline.clear();
    out.timeline.push_back(start);
  }
  return out;
}

}  // namespace

void read_node_workers(NodeModel& node, const FileValue& value) {
  WorkerDraft draft;
  read_object(value, node_workers_form, draft);
  check_change(draft.base, value);
  if (value.has_problem()) return;
  WorkerMoment start;
  if (const auto type = AcceleratorType::parse(node.accelerator_type)) start.cores = type->devices_per_host();
  apply(start, draft.base);
  std::size_t moments = draft.timeline.size() + 1;
  for (const WorkerDraft& other : draft.except) moments += 1 + (other.timeline.empty() ? draft.timeline : other.timeline).size();
  if (moments > max_moments)
    return value.complain(fmt::format("the timelines of a node's workers have at most {} entries in all", max_moments));
  NodeWorkers workers;
  workers.usual = model_of(start, draft.job.value_or("worker"), draft.is_alone.value_or(false), draft.timeline);
  for (const WorkerDraft& other : draft.except) {
    WorkerMoment own = start;
    apply(own, other.base);
    workers.others.emplace(*other.number,
                           model_of(std::move(own), other.job.value_or(workers.usual.job), other.is_alone.value_or(workers.usual.is_alone),
                                    other.timeline.empty() ? draft.timeline : other.timeline));
  }
  node.workers = std::make_shared<const NodeWorkers>(std::move(workers));
}

void read_worker(Model& model, const FileValue& value) {
  WorkerDraft draft;
  read_object(value, worker_form, draft);
  check_change(draft.base, value);
  if (value.has_problem()) return;
  if (draft.address.host.empty()) return value.complain("a worker needs an address");
  if (model.workers.size() >= max_workers) return value.complain(fmt::format("at most {} workers without a node", max_workers));
  WorkerMoment start;
  start.is_running = true;
  start.cores = 8;  // as on a host of v2 or v3
  apply(start, draft.base);
  FreeWorker worker;
  worker.address = draft.address;
  worker.cluster = draft.cluster;
  worker.worker = model_of(std::move(start), draft.job.value_or("worker"), draft.is_alone.value_or(false), draft.timeline);
  for (const FreeWorker& known : model.workers) {
    if (known.address == worker.address)
      return value.complain(fmt::format("address: there are two workers at {}", known.address.to_text()));
    if (known.cluster != worker.cluster || known.worker.job != worker.worker.job) continue;
    if (draft.task == known.task)
      return value.complain(fmt::format("task: there are two tasks {} of job {}", known.task, known.worker.job));
    worker.task = std::max(worker.task, known.task + 1);
  }
  if (draft.task) worker.task = *draft.task;
  model.workers.push_back(std::move(worker));
}

void describe_node_workers(FileSections& out) { describe<node_workers_form>(out); }
void describe_worker(FileSections& out) { describe<worker_form>(out); }

}  // namespace rollcall::sim
