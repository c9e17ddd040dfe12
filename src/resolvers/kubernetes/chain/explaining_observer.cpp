#include "resolvers/kubernetes/chain/explaining_observer.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "call/call_scope.hpp"
#include "call/runtime_impl.hpp"
#include "readiness/follow.hpp"
#include "resolvers/kubernetes/chain/chain_reader.hpp"
#include "resolvers/kubernetes/chain/rules/chain.hpp"

namespace rollcall {
namespace {

bool is_whole(const ClusterStatus& status) {
  const auto is_fine = [](const Member& one) { return one.state.level == MemberState::ready && one.health.level == MemberState::ready; };
  return status.state.level == MemberState::ready && !status.members.empty() &&
         status.expected <= static_cast<int>(status.members.size()) && std::all_of(status.members.begin(), status.members.end(), is_fine);
}

// Of what a change shows in.
std::size_t fingerprint_of(const ClusterStatus& status) {
  std::size_t sum = std::hash<std::string>()(status.state.text) + static_cast<std::size_t>(status.expected);
  const auto add = [&sum](const std::string& text) { sum = sum * 31 + std::hash<std::string>()(text); };
  for (const Member& member : status.members) {
    add(member.uid);
    add(member.state.text);
    add(member.health.text);
  }
  return sum;
}

}  // namespace

ExplainingObserver::ExplainingObserver(Call& call, const ChainSource& source, StatusObserver& observer)
    : call_(call), source_(source), observer_(observer) {}

void ExplainingObserver::report(ClusterStatus status) {
  ++reports_;
  if (is_whole(status)) {
    waiting_.reset();
    return observer_.report(std::move(status));
  }
  const std::size_t fingerprint = fingerprint_of(status);
  if (!waiting_ || fingerprint != fingerprint_) changed_at_ = impl_of(call_).time->now();
  fingerprint_ = fingerprint;
  waiting_ = status;
  const bool is_known = facts_ && impl_of(call_).time->wall_now() - facts_->at < facts_age;
  if (is_known) explain(status, *facts_);
  event_.wake();
  observer_.report(std::move(status));
}

asio::awaitable<Result<void>> ExplainingObserver::run() {
  Runtime::Impl& impl = impl_of(call_);
  for (;;) {
    if (!waiting_) {
      const bool is_awake = co_await event_.wait();
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following pods");
      continue;
    }
    SteadyTime due = changed_at_ + quiet_time;
    if (looked_at_) due = std::max(due, *looked_at_ + pause);
    if (impl.time->now() < due) {
      const bool is_awake = co_await sleep_until(*impl.timers, due);
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following pods");
      continue;
    }
    looked_at_ = impl.time->now();
    const Result<void> looked = co_await look();
    if (!looked && looked.error().code() == Errc::cancelled) co_return looked.error();
  }
}

// A report that came meanwhile is newer than this answer: the facts explain the next one.
asio::awaitable<Result<void>> ExplainingObserver::look() {
  const std::size_t before = reports_;
  ClusterStatus status = *waiting_;
  auto script = [this, &status](Call& inner) { return look_in(inner, status); };
  const Result<void> looked = co_await run_call<void>(impl_of(call_).shared_from_this(), question_options(call_),
                                                      CallSubject("causes of pods that wait"), std::move(script));
  if (!looked) co_return looked.error();
  if (reports_ == before) observer_.report(std::move(status));
  co_return Result<void>();
}

asio::awaitable<Result<void>> ExplainingObserver::look_in(Call& call, ClusterStatus& status) {
  ChainReader reader(call, source_, status);
  Result<ChainFacts> facts = co_await reader.read();
  if (!facts) co_return facts.error();
  facts_ = std::move(*facts);
  explain(status, *facts_);
  co_return Result<void>();
}

}  // namespace rollcall
