#include "resolvers/tpu/tpu_count.hpp"

#include <fmt/format.h>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "devices/device_query.hpp"
#include "resolvers/tpu/tpu_api.hpp"
#include "resolvers/tpu/tpu_spec.hpp"
#include "rollcall/tpu_call.hpp"

namespace rollcall {
namespace {

constexpr Duration poll_interval = std::chrono::seconds(5);

// The source of the counts. A class with a constructor, since coroutines return it.
class Evidence {
 public:
  Evidence() {}
  std::optional<AcceleratorType> type;  // if empty, `devices` counts
  std::vector<DeviceAttributes> devices;
};

asio::awaitable<Result<void>> ask_until_ready(Call& call, const TpuPlan& plan, const TpuOptions& options, bool waits, TpuAnswer& node) {
  Runtime::Impl& impl = impl_of(call);
  for (int attempt = 1;; ++attempt) {
    const Result<void> asked = co_await ask_tpu(call, plan, options, node);
    if (!asked || !waits) co_return asked;
    const Result<std::vector<Endpoint>> endpoints = worker_endpoints(plan.name, node);
    if (endpoints) co_return asked;
    const Failure failure = node.with_origin(endpoints.error());
    const SteadyTime next = saturating_sum(impl.time->now(), poll_interval);
    if (!is_on_its_way(node.state) || next >= call.deadline()) co_return failure;
    state_of(call).last_trouble = failure.what();
    impl.emit({.kind = EventKind::backing_off,
               .call = call.id(),
               .attempt = attempt,
               .delay = poll_interval,
               .subject = plan.name,
               .failure = &failure});
    const Result<void> slept = co_await call.sleep_until(next);
    if (!slept) co_return slept.error();
  }
}

DeviceQuestion question_of(const std::vector<std::string>& workers, std::string job, bool needs_all_workers, bool waits) {
  DeviceQuestion question;
  question.master = workers.front();
  question.url = "grpc://" + workers.front();
  question.workers = workers;
  question.job = std::move(job);
  question.needs_all_workers = needs_all_workers && workers.size() > 1;
  question.waits_for_workers = waits;
  return question;
}

// On a TPU VM no runtime listens, unless a user starts one: it is not asked in place of a type that is not known.
Failure with_source_hint(Failure failure, CountFrom from) {
  if (from == CountFrom::automatic) failure.with_hint("where a TensorFlow runtime was started, ask it: --source devices");
  return failure;
}

asio::awaitable<Result<Evidence>> look_at_node(Call& call, const TpuPlan& plan, const TpuOptions& options, std::string job, bool needs_all,
                                               bool waits) {
  TpuAnswer node;
  const Result<void> asked = co_await ask_until_ready(call, plan, options, waits, node);
  if (!asked) co_return asked.error();
  const CountFrom from = call.options().get<TpuCallOptions>().count_from();
  const Result<AcceleratorType> type = accelerator_of(plan.name, node);
  Evidence evidence;
  const bool is_tpu_vm = options.api_version() != TpuApiVersion::v1;
  const bool names_type = !node.accelerator_type.empty() || !node.accelerator_config_type.empty();
  const bool goes_by_type = is_tpu_vm && (type || (names_type && !waits));
  if (from == CountFrom::accelerator_type || (from == CountFrom::automatic && goes_by_type)) {
    if (!type) co_return with_source_hint(node.with_origin(type.error()), from);
    evidence.type = *type;
    co_return evidence;
  }
  const Result<ClusterSpec::Tasks> tasks = worker_tasks(plan.name, node);
  if (!tasks) co_return node.with_origin(tasks.error());
  if (tasks->empty()) co_return evidence;
  std::vector<std::string> workers;
  for (const auto& [worker, address] : *tasks) workers.push_back(address);
  DeviceQuestion question = question_of(workers, std::move(job), needs_all, waits);
  const bool has_other_answer = from == CountFrom::automatic && type.has_value();
  question.gives_up_when_refused = has_other_answer && !waits;
  Result<std::vector<DeviceAttributes>> devices = co_await ask_devices(call, std::move(question));
  if (devices) {
    evidence.devices = std::move(*devices);
    co_return evidence;
  }
  Failure failure = about_tpu(plan.name, devices.error());
  if (has_other_answer && failure.code() == Errc::unreachable) {
    evidence.type = *type;
    co_return evidence;
  }
  if (is_tpu_vm && failure.code() == Errc::unreachable) {
    failure.with_hint("on a TPU VM no TensorFlow runtime listens unless you start one; the accelerator type gives the numbers without it");
  }
  co_return failure;
}

asio::awaitable<Result<Evidence>> gather_evidence(Call& call, const TpuPlan& plan, const TpuOptions& options, std::string job,
                                                  bool needs_all, bool waits) {
  if (plan.kind == TpuKind::api) {
    co_return co_await look_at_node(call, plan, options, std::move(job), needs_all, waits);
  }
  if (plan.kind == TpuKind::local) {
    co_return Failure(Errc::unimplemented, "TPU 'local': this machine's devices are known to its own runtime only");
  }
  if (call.options().get<TpuCallOptions>().count_from() == CountFrom::accelerator_type) {
    co_return Failure(Errc::invalid_argument,
                      fmt::format("TPU {}: only a TPU that the API knows has an accelerator type to count by", quoted(plan.name)));
  }
  Evidence evidence;
  DeviceQuestion question;
  if (plan.kind == TpuKind::workers) {
    std::vector<std::string> workers;
    for (const Endpoint& worker : plan.workers) workers.push_back(worker.to_text());
    question = question_of(workers, std::move(job), needs_all, waits);
  } else {
    Result<DeviceQuestion> master = DeviceQuestion::of_master(plan.name);
    if (!master) co_return master.error();
    question = std::move(*master);
    question.workers = {question.master};
    question.waits_for_workers = waits;
  }
  Result<std::vector<DeviceAttributes>> devices = co_await ask_devices(call, std::move(question));
  if (!devices) co_return devices.error();
  evidence.devices = std::move(*devices);
  co_return evidence;
}

}  // namespace

asio::awaitable<Result<AcceleratorCounts>> count_tpu(Call& call, const TpuPlan& plan, const TpuOptions& options, std::string job) {
  const Result<Evidence> evidence = co_await gather_evidence(call, plan, options, std::move(job), false, false);
  if (!evidence) co_return evidence.error();
  if (evidence->type) co_return counts_of(*evidence->type);
  const TpuDeviceMap hosts = TpuDeviceMap::of_devices(evidence->devices);
  const Result<int> cores = hosts.hosts().empty() ? Result<int>(0) : hosts.cores_per_host();
  if (!cores) co_return about_tpu(plan.name, cores.error());
  std::map<std::string, int, std::less<>> counts;
  counts.emplace("TPU", *cores);
  co_return AcceleratorCounts(std::move(counts), CountSource::devices);
}

asio::awaitable<Result<TpuSystemMetadata>> describe_tpu(Call& call, const TpuPlan& plan, const TpuOptions& options, std::string job,
                                                        bool waits) {
  Result<Evidence> evidence = co_await gather_evidence(call, plan, options, std::move(job), true, waits);
  if (!evidence) co_return evidence.error();
  if (evidence->type) co_return TpuSystemMetadata::of_type(*evidence->type);
  Result<TpuSystemMetadata> metadata = TpuSystemMetadata::of_devices(std::move(evidence->devices));
  if (!metadata) co_return about_tpu(plan.name, metadata.error());
  co_return metadata;
}

}  // namespace rollcall
