#include "fleet/client/direct_polls.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "async/async_event.hpp"
#include "async/turns.hpp"
#include "base/at_end.hpp"
#include "call/runtime_impl.hpp"
#include "readiness/follow.hpp"

namespace rollcall {
namespace {

constexpr int max_turns_of_polls = 8;  // that a poll waits while more are requested

std::string name_of(const fleet::FleetQuestion& question) {
  return question.target.to_text() + " " + std::string(fleet::to_string(question.view));
}

}  // namespace

class DirectPolls::Asked {
 public:
  explicit Asked(std::shared_ptr<ClusterResolver> of) : resolver(std::move(of)) {}
  std::shared_ptr<ClusterResolver> resolver;
  AsyncEvent news;
  std::optional<Result<ClusterStatus>> answer;
  bool is_taken = false;  // by a round that is under way
  bool is_left = false;   // its caller waits for it no longer
};

asio::awaitable<Result<ClusterStatus>> DirectPolls::poll(Call& call, std::shared_ptr<ClusterResolver> resolver) {
  const auto mine = std::make_shared<Asked>(std::move(resolver));
  waiting_.push_back(mine);
  const AtEnd end([this, &mine] { leave(*mine); });
  while (!mine->answer) {
    if (!mine->is_taken && !is_gathering_) {
      const Result<void> led = co_await lead(call);
      if (!led) co_return led.error();
      continue;
    }
    const bool is_awake = co_await mine->news.wait();
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled while looking directly");
  }
  co_return std::move(*mine->answer);
}

asio::awaitable<Result<void>> DirectPolls::lead(Call& call) {
  AskedOnes round;
  const AtEnd end([this, &round] { hand_back(round); });
  {
    is_gathering_ = true;
    const AtEnd gathered([this] { is_gathering_ = false; });
    std::size_t seen = 0;
    for (int turns = 0; turns < max_turns_of_polls && seen != waiting_.size(); ++turns) {
      seen = waiting_.size();
      co_await next_turn();
    }
  }
  round = std::exchange(waiting_, AskedOnes());
  std::vector<std::shared_ptr<ClusterResolver>> resolvers;
  for (const std::shared_ptr<Asked>& one : round) {
    one->is_taken = true;
    resolvers.push_back(one->resolver);
  }
  const std::size_t count = resolvers.size();
  CallSubject subject = count == 1 ? CallSubject(*resolvers.front(), "cluster_status") : CallSubject("cluster_status");
  auto ask = [resolvers = std::move(resolvers)](Call& inner, std::size_t i) { return resolvers[i]->do_cluster_status(inner); };
  Result<std::vector<Result<ClusterStatus>>> answers =
      co_await ask_together<ClusterStatus>(call, count, std::move(subject), std::move(ask));
  if (!answers && answers.error().code() == Errc::cancelled) co_return answers.error();
  for (std::size_t i = 0; i < count; ++i) {
    Result<ClusterStatus> answer = answers ? std::move((*answers)[i]) : Result<ClusterStatus>(answers.error());
    const bool is_cut_off = answer.has_error() && answer.error().code() == Errc::cancelled;
    if (!is_cut_off) round[i]->answer.emplace(std::move(answer));
  }
  co_return Result<void>();
}

// Polls without an answer wait for the next round, which one of their callers makes.
void DirectPolls::hand_back(const AskedOnes& round) {
  for (const std::shared_ptr<Asked>& one : round) {
    if (!one->answer && !one->is_left) {
      one->is_taken = false;
      waiting_.push_back(one);
    }
    one->news.wake();
  }
  for (const std::shared_ptr<Asked>& one : waiting_) one->news.wake();
}

void DirectPolls::leave(Asked& one) {
  one.is_left = true;
  std::erase_if(waiting_, [&one](const std::shared_ptr<Asked>& other) { return other.get() == &one; });
}

void DirectPolls::note(const Call& call, const fleet::FleetQuestion& question, SteadyTime next) {
  const SteadyTime now = impl_of(call).time->now();
  std::erase_if(next_, [now](const auto& one) { return one.second <= now; });
  next_.insert_or_assign(name_of(question), next);
}

SteadyTime DirectPolls::next(const fleet::FleetQuestion& question) const {
  const auto found = next_.find(name_of(question));
  return found == next_.end() ? SteadyTime::min() : found->second;
}

}  // namespace rollcall
