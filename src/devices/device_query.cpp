#include "devices/device_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asio/this_coro.hpp>
#include <set>

#include "async/async_event.hpp"
#include "async/spawn.hpp"
#include "base/exceptions.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/backoff.hpp"
#include "call/rpc_client.hpp"
#include "call/rules/classify_status.hpp"
#include "call/runtime_impl.hpp"
#include "devices/wire/device_wire.hpp"
#include "devices/worker_status.hpp"
#include "rollcall/device.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/tpu_call.hpp"

namespace rollcall {
namespace {

using Devices = std::vector<DeviceAttributes>;

// A running worker lists its devices in milliseconds.
constexpr Duration max_status = std::chrono::milliseconds(800);
// The workers' failures count only after this time: a slow master may still answer.
constexpr Duration master_grace = std::chrono::milliseconds(400);
constexpr Duration latest_master = std::chrono::milliseconds(500);

// The time for the master before the workers are asked.
Duration master_time(Call& call) { return std::min<Duration>(latest_master, saturating_difference(call.deadline(), call.started()) / 4); }

// The result of one attempt. A class with a constructor, since coroutines return it.
class Answer {
 public:
  Answer() {}
  explicit Answer(Result<Devices> d) : devices(std::move(d)) {}
  Result<Devices> devices = Failure();
  bool is_final = false;  // another attempt would give the same result
};

bool wants_session(const Failure& failure) { return failure.code() == Errc::unimplemented || failure.code() == Errc::rpc_error; }

std::size_t count_tasks(const Devices& devices) {
  std::set<std::string> tasks;
  for (const DeviceAttributes& device : devices) {
    const Result<Device> name = Device::parse(device.name);
    if (name && name->task) tasks.insert(fmt::format("{}/{}", name->job.value_or(""), *name->task));
  }
  return tasks.size();
}

asio::awaitable<Result<std::vector<std::string>>> workers_of(Call& call, const DeviceQuestion& question) {
  if (!question.workers.empty() || !question.resolver) co_return question.workers;
  const Result<ClusterSpec> spec = co_await question.resolver->do_cluster_spec(call);
  if (!spec) co_return spec.error();
  std::vector<std::string> workers;
  for (const ClusterSpec::Job& job : spec->job_list()) {
    for (const auto& [index, address] : job.tasks) workers.push_back(address);
  }
  co_return workers;
}

asio::awaitable<Result<Devices>> ask_master(Call& call, const DeviceQuestion& question) {
  RpcRequest request(question.master, rpc_path("Master", "ListDevices"));
  request.is_tls = question.is_tls;
  request.message = list_devices_request("");
  Result<std::string> bytes = co_await rpc_send(call, request, call.deadline());
  ClusterSpec cluster;
  if (bytes) {
    Result<DeviceLists> lists = parse_list_devices_response(*bytes);
    if (!lists) co_return lists.error().with_target(question.master);
    Devices devices = std::move(*lists).all();
    // A TPU worker without a cluster definition lists only itself [facts: tf-list-devices].
    if (!question.needs_all_workers || count_tasks(devices) >= question.workers.size()) co_return devices;
    cluster.set_job(question.job, question.workers);
  } else if (!wants_session(bytes.error())) {
    co_return bytes.error();
  }
  Result<Devices> devices = co_await list_devices_in_session(call, question, cluster, call.deadline());
  if (!devices && !bytes && devices.error().code() == Errc::unimplemented) co_return bytes.error();
  co_return devices;
}

asio::awaitable<Result<std::vector<WorkerStatus>>> ask_all(Call& call, const DeviceQuestion& question, Duration max) {
  const Result<std::vector<std::string>> workers = co_await workers_of(call, question);
  if (!workers) co_return workers.error();
  Result<std::vector<WorkerStatus>> statuses =
      co_await ask_workers(call, *workers, question.is_tls, saturating_sum(impl_of(call).time->now(), max));
  co_return statuses;
}

// The master's answer, and the workers' answers if it is late. In the frame of ask_master_then_workers().
class DeviceWatch {
 public:
  explicit DeviceWatch(Runtime::Impl& runtime) : impl(runtime) {}

  template <class T>
  void start(const asio::any_io_executor& executor, asio::awaitable<Result<T>> question, asio::cancellation_signal& signal,
             std::optional<Result<T>>& into) {
    ++running;
    auto on_done = [this, &into](Result<T> result) {
      --running;
      into.emplace(std::move(result));
      if (!is_cancelled || running == 0) event.wake();
    };
    spawn_result(executor, std::move(question), signal.slot(), "the call was stopped", std::move(on_done));
  }
  void wake_at(SteadyTime when) {
    timer.set(
        *impl.timers, when,
        [](void* self) noexcept {
          auto* watch = static_cast<DeviceWatch*>(self);
          if (!watch->is_cancelled) watch->event.wake();
        },
        this);
  }
  void cancel_questions() {
    master_signal.emit(asio::cancellation_type::terminal);
    workers_signal.emit(asio::cancellation_type::terminal);
  }
  // Suspends until the next event. After a cancellation from outside: until nothing runs any more.
  asio::awaitable<void> next() {
    co_await event.wait_through(
        [](void* self) {
          auto* watch = static_cast<DeviceWatch*>(self);
          watch->is_cancelled = true;
          watch->cancel_questions();
        },
        this);
  }

  Runtime::Impl& impl;
  int running = 0;
  bool is_cancelled = false;
  std::optional<Result<Devices>> master;
  std::optional<Result<std::vector<WorkerStatus>>> workers;
  asio::cancellation_signal master_signal;
  asio::cancellation_signal workers_signal;
  AsyncEvent event;
  Timer timer;
};

asio::awaitable<Answer> ask_master_then_workers(Call& call, const DeviceQuestion& question) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  Runtime::Impl& impl = impl_of(call);
  DeviceWatch watch(impl);
  watch.start(executor, ask_master(call, question), watch.master_signal, watch.master);
  const SteadyTime late_at = saturating_sum(impl.time->now(), master_time(call));
  const SteadyTime name_at = saturating_sum(late_at, master_grace);
  bool has_asked_workers = false;
  std::optional<Answer> answer;
  watch.wake_at(late_at);
  while (!answer && !watch.is_cancelled) {
    co_await watch.next();
    if (watch.is_cancelled) break;
    const SteadyTime now = impl.time->now();
    if (watch.master) {
      answer.emplace(std::move(*watch.master));
    } else if (!has_asked_workers && now >= late_at) {
      has_asked_workers = true;
      watch.start(executor, ask_all(call, question, max_status), watch.workers_signal, watch.workers);
    } else if (watch.workers && *watch.workers) {
      const std::optional<Failure> missing = missing_workers(**watch.workers);
      if (missing && now >= name_at) {
        answer.emplace(Result<Devices>(*missing));
        answer->is_final = !question.waits_for_workers;
      } else if (missing) {
        watch.wake_at(name_at);
      } else if (std::optional<Devices> devices = devices_of(**watch.workers)) {
        answer.emplace(Result<Devices>(std::move(*devices)));
      }
    }
  }
  watch.timer.cancel();
  if (watch.running > 0) {
    // All requests must end before the objects that they use, even if the cancellation came just before this coroutine resumed.
    co_await asio::this_coro::throw_if_cancelled(false);
    watch.cancel_questions();
    while (watch.running > 0) co_await watch.next();
    co_await asio::this_coro::throw_if_cancelled(true);
  }
  if (!answer) answer.emplace(Result<Devices>(Failure(Errc::cancelled, "the call was stopped").with_target(question.master)));
  co_return std::move(*answer);
}

// Asks every worker from the start.
asio::awaitable<Answer> ask_workers_at_once(Call& call, const DeviceQuestion& question) {
  const Duration left = saturating_difference(call.deadline(), impl_of(call).time->now());
  Answer answer;
  Result<std::vector<WorkerStatus>> workers = co_await ask_all(call, question, std::min<Duration>(std::chrono::seconds(5), left / 2));
  if (!workers) {
    answer.devices = workers.error();
    co_return answer;
  }
  const std::optional<Failure> missing = missing_workers(*workers);
  if (missing) {
    answer.devices = *missing;
    answer.is_final = !question.waits_for_workers;
    co_return answer;
  }
  std::optional<Failure> refusal;
  for (const WorkerStatus& worker : *workers) {
    if (worker.failure && !refusal) refusal = worker.failure;
  }
  std::optional<Devices> devices = devices_of(std::move(*workers));
  if (devices) {
    answer.devices = std::move(*devices);
  } else {
    answer.devices = *refusal;
  }
  co_return answer;
}

}  // namespace

Result<DeviceQuestion> DeviceQuestion::of_master(std::string_view url) {
  DeviceQuestion question;
  question.url = std::string(url);
  std::string_view address = url;
  const std::size_t scheme = address.find("://");
  if (scheme != std::string_view::npos) {
    const std::string_view layer = address.substr(0, scheme);
    if (!layer.starts_with("grpc")) {
      return Failure(Errc::unimplemented,
                     fmt::format("the master {} is not reached by gRPC, so its devices cannot be listed", quoted(url)));
    }
    question.is_tls = layer == "grpcs";
    address.remove_prefix(scheme + 3);
  }
  if (address.empty()) {
    return Failure(Errc::failed_precondition, "there is no master to ask for devices: the resolver names none")
        .with_hint("give a task type and a task id to choose the task whose server is asked");
  }
  Result<Endpoint> endpoint = Endpoint::parse(address);
  if (!endpoint)
    return Failure(Errc::unimplemented, fmt::format("the master {} is no host and port: {}", quoted(url), endpoint.error().what()));
  if (!endpoint->port) endpoint->port = default_worker_port;
  question.master = endpoint->to_text();
  return question;
}

asio::awaitable<Result<std::vector<DeviceAttributes>>> ask_devices(Call& call, DeviceQuestion question) {
  RetryPolicy policy = call.options().retry();
  if (!policy.has_own_max_retries()) policy.max_retries(default_question_retries);
  Backoff backoff(call, policy, call.deadline());
  for (;;) {
    const bool asks_master = call.options().get<TpuCallOptions>().device_query() == DeviceQuery::master;
    asio::awaitable<Answer> asking = asks_master ? ask_master_then_workers(call, question) : ask_workers_at_once(call, question);
    Answer answer = co_await std::move(asking);
    if (answer.devices) co_return std::move(answer.devices);
    Failure failure = answer.devices.error();
    if (failure.code() == Errc::cancelled || state_of(call).is_expired) co_return failure;
    CallState& state = state_of(call);
    ++state.attempts;
    state.last_trouble = failure.what();
    state.current_target = question.master;
    // A first occurrence may be a server that is being restarted.
    const bool is_refused = failure.code() == Errc::unreachable && failure.phase() == Phase::connect && question.gives_up_when_refused &&
                            backoff.retries() >= 2;
    const bool may_help = !answer.is_final && !is_refused && is_transient(failure.code());
    const RetryDecision decision = backoff.decide(may_help ? classify_failure(failure.code()) : AttemptClass::permanent);
    if (!decision.retry) {
      // A master that answers DEADLINE_EXCEEDED repeatedly cannot serve.
      if (may_help && failure.code() == Errc::response_timeout) failure.with_code(Errc::unavailable);
      const std::string reason = may_help && !decision.reason.empty() ? fmt::format(" ({})", decision.reason) : std::string();
      failure.with_what(fmt::format("devices of {}: {}{}", question.master, without_address(failure, question.master), reason));
      failure.with_attempts(backoff.tries());
      co_return failure;
    }
    backoff.announce(question.master, failure);
    const bool woken = co_await backoff.wait();
    if (!woken) co_return Failure(Errc::cancelled, "cancelled while waiting").with_target(question.master);
  }
}

}  // namespace rollcall
