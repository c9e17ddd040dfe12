#include "readiness/member_probe.hpp"

#include <fmt/format.h>

#include <string_view>
#include <unordered_set>

#include "async/group.hpp"
#include "async/turns.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "devices/worker_status.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

constexpr std::size_t probes_at_a_time = 256;
constexpr Duration probe_time = std::chrono::seconds(5);

// The short reason in `could not connect to 'A': A: Connection refused`.
std::string short_reason(const Failure& failure, const std::string& address) {
  std::string what = without_address(failure, address);
  if (failure.code() == Errc::unreachable) {
    const std::size_t reason = what.rfind(": ");
    if (reason != std::string::npos) what = what.substr(reason + 2);
    if (!what.empty()) what.front() = to_lower(what.front());
  }
  return what;
}

ProbeAnswer trouble_of(std::string what, Duration unheard_before = {}) {
  ProbeAnswer answer;
  answer.trouble = std::move(what);
  answer.unheard_before = unheard_before;
  return answer;
}

// An answer without trouble: the connection was accepted.
asio::awaitable<Result<ProbeAnswer>> probe_port(Runtime::Impl& impl, const std::string& address) {
  const Result<Endpoint> endpoint = Endpoint::parse(address);
  if (!endpoint) co_return trouble_of("its address is not HOST:PORT");
  if (!endpoint->port) co_return trouble_of(std::string(has_no_port));
  const SteadyTime asked = impl.time->now();
  const Result<void> taken = co_await impl.tcp->connect(*endpoint, saturating_sum(asked, probe_time));
  if (taken) co_return ProbeAnswer();
  const Failure failure = taken.error();
  if (failure.code() == Errc::cancelled) co_return failure;
  if (failure.code() == Errc::connect_timeout) co_return trouble_of("no answer to a connection", impl.time->now() - asked);
  co_return trouble_of(short_reason(failure, address));
}

asio::awaitable<Result<std::vector<ProbeAnswer>>> probe_ports(Call& call, const std::vector<std::string>& addresses) {
  Runtime::Impl& impl = impl_of(call);
  auto ask_one = [&impl, &addresses](std::size_t i) { return probe_port(impl, addresses[i]); };
  std::function<asio::awaitable<Result<ProbeAnswer>>(std::size_t)> ask = std::move(ask_one);
  co_return co_await join_bounded<ProbeAnswer>(addresses.size(), probes_at_a_time, std::move(ask));
}

// A member is known to be silent only when the time for all has passed.
ProbeAnswer answer_of(const WorkerStatus& worker, Duration waited) {
  if (!worker.failure) return ProbeAnswer();
  if (worker.is_silent()) return trouble_of("its runtime is silent", waited);
  return trouble_of("its runtime does not answer: " + without_address(*worker.failure, worker.address));
}

asio::awaitable<Result<std::vector<ProbeAnswer>>> probe_runtimes(Call& call, const std::vector<std::string>& addresses) {
  const SteadyTime asked = impl_of(call).time->now();
  const SteadyTime deadline = std::min(saturating_sum(asked, probe_time), call.deadline());
  const Result<std::vector<WorkerStatus>> workers = co_await ask_workers(call, addresses, false, deadline);
  if (!workers) co_return workers.error();
  const Duration waited = impl_of(call).time->now() - asked;
  std::vector<ProbeAnswer> answers;
  answers.reserve(workers->size());
  for (const WorkerStatus& worker : *workers) answers.push_back(answer_of(worker, waited));
  co_return answers;
}

}  // namespace

asio::awaitable<Result<void>> MemberProbe::ask(Call& call, const ClusterStatus& status, MembersAsked who) {
  std::unordered_set<std::string_view> known;
  std::vector<std::string> addresses;
  std::size_t polled_at = 0;
  for (const Member& member : status.members) {
    if (++polled_at % (4 * steps_a_turn) == 0) co_await next_turn();
    if (member.address.empty() || !known.insert(member.address).second) continue;
    const auto answer = answers_.find(member.address);
    const bool is_asked =
        answer == answers_.end() || who == MembersAsked::all || (who == MembersAsked::unanswered && !answer->second.trouble.empty());
    if (is_asked) addresses.push_back(member.address);
  }
  std::erase_if(answers_, [&known](const auto& entry) { return !known.contains(entry.first); });
  if (addresses.empty()) co_return Result<void>();
  // A runtime that answers has accepted a connection, so its port needs no probe.
  Result<std::vector<ProbeAnswer>> answers = Failure();
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
