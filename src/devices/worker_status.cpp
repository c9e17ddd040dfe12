#include "devices/worker_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "async/group.hpp"
#include "base/append_formatted.hpp"
#include "call/backoff.hpp"
#include "call/rpc_client.hpp"
#include "call/rules/classify_status.hpp"
#include "call/runtime_impl.hpp"
#include "devices/wire/device_wire.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_named = 8;

// A single lost packet must not make a worker missing.
RetryPolicy worker_retries() {
  return RetryPolicy().max_retries(2).base_delay(std::chrono::milliseconds(50)).max_delay(std::chrono::milliseconds(100));
}

asio::awaitable<Result<std::string>> ask_with_retries(Call& call, const RpcRequest& request, SteadyTime deadline) {
  Backoff backoff(call, worker_retries(), deadline);
  for (;;) {
    Result<std::string> bytes = co_await rpc_send(call, request, deadline);
    if (bytes) co_return bytes;
    const RetryDecision decision = backoff.decide(classify_failure(bytes.error().code()));
    if (!decision.retry) co_return bytes;
    const bool woken = co_await backoff.wait();
    if (!woken) co_return Failure(Errc::cancelled, "cancelled").with_target(request.address);
  }
}

asio::awaitable<Result<WorkerStatus>> ask_worker(Call& call, std::string address, bool is_tls, SteadyTime deadline) {
  WorkerStatus status;
  status.address = address;
  RpcRequest request(std::move(address), rpc_path("Worker", "GetStatus"));
  request.is_tls = is_tls;
  Result<std::string> bytes = co_await ask_with_retries(call, request, deadline);
  if (!bytes) {
    status.failure = bytes.error();
    co_return status;
  }
  Result<std::vector<DeviceAttributes>> devices = parse_get_status_response(*bytes);
  if (devices) {
    status.devices = std::move(*devices);
  } else {
    Failure failure = devices.error();
    failure.with_what(fmt::format("{}: {}", status.address, failure.what()));
    status.failure = failure.with_target(status.address);
  }
  co_return status;
}

// A short reason, if there is one.
std::string failure_reason(const WorkerStatus& worker) {
  if (worker.is_silent()) return "silent";
  if (worker.failure->code() == Errc::unknown_host) return "unknown name";
  std::string what = without_address(*worker.failure, worker.address);
  if (what == "connection refused") return "refused";
  return what;
}

}  // namespace

std::string without_address(const Failure& failure, std::string_view address) {
  const std::string_view what = failure.what();
  if (what.starts_with(address) && what.substr(address.size()).starts_with(": ")) return std::string(what.substr(address.size() + 2));
  return std::string(what);
}

bool WorkerStatus::is_silent() const noexcept {
  if (!failure) return false;
  const Errc code = failure->code();
  return code == Errc::connect_timeout || code == Errc::response_timeout || code == Errc::deadline_exceeded;
}

bool WorkerStatus::is_alive() const noexcept {
  if (!failure) return true;
  switch (failure->code()) {
    case Errc::unimplemented:
    case Errc::rpc_error:
    case Errc::rate_limited:
    case Errc::permission_denied:
    case Errc::unauthenticated:
    case Errc::not_found: return true;
    default: return false;
  }
}

asio::awaitable<Result<std::vector<WorkerStatus>>> ask_workers(Call& call, std::vector<std::string> addresses, bool is_tls,
                                                               SteadyTime deadline) {
  std::vector<asio::awaitable<Result<WorkerStatus>>> questions;
  questions.reserve(addresses.size());
  for (std::string& address : addresses) questions.push_back(ask_worker(call, std::move(address), is_tls, deadline));
  std::vector<Result<WorkerStatus>> answers = co_await gather(std::move(questions));
  std::vector<WorkerStatus> workers;
  workers.reserve(answers.size());
  for (Result<WorkerStatus>& answer : answers) {
    if (!answer) co_return answer.error();  // cancelled
    workers.push_back(std::move(*answer));
  }
  co_return workers;
}

std::optional<Failure> missing_workers(const std::vector<WorkerStatus>& workers) {
  std::size_t missing = 0;
  std::string names;
  const WorkerStatus* first = nullptr;
  bool are_all_foreign = true;  // something answers at each address, and it is no runtime
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i].is_alive()) continue;
    if (!first) first = &workers[i];
    are_all_foreign = are_all_foreign && workers[i].failure->code() == Errc::malformed_response;
    if (++missing > max_named) continue;
    append_formatted(names, "{}worker {} ({}): {}", names.empty() ? "" : "; ", i, workers[i].address, failure_reason(workers[i]));
  }
  if (!first) return std::nullopt;
  if (missing > max_named) append_formatted(names, "; and {} more", missing - max_named);
  Failure failure(are_all_foreign ? Errc::malformed_response : Errc::unavailable,
                  fmt::format("{} of {} workers {} not answer{}: {}", missing, workers.size(), missing == 1 ? "does" : "do",
                              are_all_foreign ? " as a runtime" : "", names));
  failure.with_target(first->address).with_phase(first->failure->phase());
  if (are_all_foreign) return failure.with_hint("check the port: another server listens there");
  return failure.with_hint("start what is missing, or see why it does not listen on its port");
}

std::optional<std::vector<DeviceAttributes>> devices_of(std::vector<WorkerStatus> workers) {
  std::vector<DeviceAttributes> devices;
  for (WorkerStatus& worker : workers) {
    if (worker.failure) return std::nullopt;
    std::move(worker.devices.begin(), worker.devices.end(), std::back_inserter(devices));
  }
  return devices;
}

}  // namespace rollcall
