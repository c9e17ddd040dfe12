#include "resolvers/kubernetes/chain/explaining_observer.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "async/group.hpp"
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
    : call_(call), source_(source), observer_(observer), warnings_(call, source, [this](const KubeEvent& warning) { notice(warning); }) {}

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
  warnings_.start();
  observer_.report(std::move(status));
}

// About a member that is not ready, or what makes the members; not known yet.
bool ExplainingObserver::concerns(const KubeEvent& warning) const {
  if (!waiting_) return false;
  if (facts_ && facts_->events.find(warning.uid, warning.reason)) return false;
  const auto is_root = [&warning](const KubeObject& one) { return one.kind == warning.kind && one.name == warning.name; };
  const auto is_owner = [&warning](const KubeObject& one) { return one.uid == warning.uid; };
  const auto is_member = [&warning](const Member& one) { return !one.uid.empty() && one.uid == warning.uid; };
  return warning.reason.starts_with("FailedCreate") || std::any_of(source_.roots.begin(), source_.roots.end(), is_root) ||
         (facts_ && std::any_of(facts_->owners.begin(), facts_->owners.end(), is_owner)) ||
         std::any_of(waiting_->members.begin(), waiting_->members.end(), is_member);
}

void ExplainingObserver::notice(const KubeEvent& warning) {
  if (is_warned_ || !concerns(warning)) return;
  is_warned_ = true;
  event_.wake();
}

SteadyTime ExplainingObserver::next_look() const {
  if (is_warned_) return looked_at_ ? *looked_at_ + short_pause : changed_at_;
  SteadyTime due = changed_at_ + quiet_time;
  if (looked_at_) due = std::max(due, *looked_at_ + pause);
  return due;
}

asio::awaitable<Result<void>> ExplainingObserver::run() {
  std::vector<asio::awaitable<Result<void>>> both;
  both.push_back(look_on());
  both.push_back(warnings_.run());
  co_return co_await join(std::move(both));
}

asio::awaitable<Result<void>> ExplainingObserver::look_on() {
  Runtime::Impl& impl = impl_of(call_);
  for (;;) {
    if (!waiting_) {
      const bool is_awake = co_await event_.wait();
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following pods");
      continue;
    }
    const SteadyTime due = next_look();
    if (impl.time->now() < due) {
      const bool is_awake = co_await event_.wait_until(*impl.timers, due);
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while following pods");
      continue;
    }
    looked_at_ = impl.time->now();
    is_warned_ = false;
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
