#include "resolve/member_probe.hpp"

#include <fmt/format.h>

#include <set>

#include "async/bounded.hpp"
#include "async/runtime_impl.hpp"
#include "core/text.hpp"
#include "resolve/worker_status.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

constexpr std::size_t probes_at_a_time = 256;
constexpr Duration probe_time = std::chrono::seconds(5);

// `could not connect to 'A': A: Connection refused` in the fewest words.
std::string how_a_port_fails(const Failure& failure, const std::string& address) {
  std::string what = without_address(failure, address);
  if (failure.code() == Errc::unreachable) {
    const std::size_t reason = what.rfind(": ");
    if (reason != std::string::npos) what = what.substr(reason + 2);
    if (!what.empty()) what.front() = to_lower(what.front());
  }
  return what;
}

// Empty: it took the connection.
asio::awaitable<Result<std::string>> probe_port(Runtime::Impl& impl, const std::string& address) {
  const Result<Endpoint> endpoint = Endpoint::parse(address);
  if (!endpoint || !endpoint->port) co_return "its address cannot be connected to";
  const Result<void> taken = co_await impl.tcp->connect(*endpoint, impl.time->now() + probe_time);
  if (taken) co_return std::string();
  const Failure failure = taken.error();
  if (failure.code() == Errc::cancelled) co_return failure;
  if (failure.code() == Errc::connect_timeout) co_return "no answer to a connection";
  co_return how_a_port_fails(failure, address);
}

asio::awaitable<Result<std::vector<std::string>>> probe_ports(Call& call, const std::vector<std::string>& addresses) {
  Runtime::Impl& impl = call.impl();
  auto ask_one = [&impl, &addresses](std::size_t i) { return probe_port(impl, addresses[i]); };
  std::function<asio::awaitable<Result<std::string>>(std::size_t)> ask = std::move(ask_one);
  Result<std::vector<std::string>> answers = co_await join_bounded<std::string>(addresses.size(), probes_at_a_time, std::move(ask));
  co_return answers;
}

asio::awaitable<Result<std::vector<std::string>>> probe_runtimes(Call& call, const std::vector<std::string>& addresses) {
  const SteadyTime deadline = std::min(call.impl().time->now() + probe_time, call.deadline());
  const Result<std::vector<WorkerStatus>> workers = co_await ask_workers(call, addresses, false, deadline);
  if (!workers) co_return workers.error();
  std::vector<std::string> answers;
  answers.reserve(workers->size());
  for (const WorkerStatus& worker : *workers) {
    answers.push_back(worker.failure ? "its runtime does not answer: " + without_address(*worker.failure, worker.address) : std::string());
  }
  co_return answers;
}

}  // namespace

asio::awaitable<Result<void>> MemberProbe::ask(Call& call, const ClusterStatus& status, bool asks_all) {
  std::set<std::string, std::less<>> known;
  std::vector<std::string> addresses;
  for (const Member& member : status.members) {
    if (member.address.empty() || !known.insert(member.address).second) continue;
    const auto answer = answers_.find(member.address);
    if (asks_all || answer == answers_.end() || !answer->second.empty()) addresses.push_back(member.address);
  }
  std::erase_if(answers_, [&known](const auto& entry) { return !known.contains(entry.first); });
  if (addresses.empty()) co_return Result<void>();
  // A runtime that answers has taken a connection.
  Result<std::vector<std::string>> answers = Failure();
  if (includes(until_, Readiness::devices)) {
    answers = co_await probe_runtimes(call, addresses);
  } else {
    answers = co_await probe_ports(call, addresses);
  }
  if (!answers) co_return answers.error();
  for (std::size_t i = 0; i < addresses.size(); ++i) answers_.insert_or_assign(addresses[i], std::move((*answers)[i]));
  co_return Result<void>();
}

}  // namespace rollcall
