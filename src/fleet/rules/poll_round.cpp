#include "fleet/rules/poll_round.hpp"

#include <algorithm>

#include "base/order.hpp"
#include "fleet/rules/source_key.hpp"
#include "readiness/rules/poll_pace.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration counted_time = std::chrono::minutes(1);
constexpr std::array<PollRank, poll_ranks> all_ranks = {PollRank::there, PollRank::unseen, PollRank::rest};

class Round {
 public:
  explicit Round(const std::vector<DuePoll>& due) : due_(due), is_chosen_(due.size()) {}

  // Takes as many of these as there is room for. A list may take fewer requests than some of its nodes alone.
  void take(std::vector<std::size_t> some, std::size_t room) {
    sort_stably(some, [this](std::size_t a, std::size_t b) { return due_[a].asked_at < due_[b].asked_at; });
    const auto nodes = static_cast<std::size_t>(std::count_if(some.begin(), some.end(), [this](std::size_t i) { return due_[i].is_node; }));
    const bool takes_nodes = requests_of_poll(nodes_ + nodes, others_) <= room || (chosen.empty() && nodes >= enough_for_a_list);
    bool has_one = false;
    for (const std::size_t i : some) {
      const bool is_node = due_[i].is_node;
      const bool fits = requests_of_poll(nodes_ + (is_node ? 1 : 0), others_ + (is_node ? 0 : 1)) <= room;
      if (!fits && !(is_node && takes_nodes) && (has_one || !chosen.empty())) continue;
      add(i);
      has_one = true;
    }
  }
  void take_with_list() {
    if (nodes_ < enough_for_a_list) return;
    for (std::size_t i = 0; i < due_.size(); ++i) {
      if (due_[i].is_node && !is_chosen_[i]) add(i);
    }
  }

  std::vector<std::size_t> chosen;

 private:
  void add(std::size_t i) {
    chosen.push_back(i);
    is_chosen_[i] = true;
    ++(due_[i].is_node ? nodes_ : others_);
  }

  const std::vector<DuePoll>& due_;
  std::vector<bool> is_chosen_;
  std::size_t nodes_ = 0;
  std::size_t others_ = 0;
};

// The requests that polls of all of these take.
template <class Is>
std::size_t requests_of(const std::vector<DuePoll>& polls, Is counts) {
  std::size_t nodes = 0;
  std::size_t others = 0;
  for (const DuePoll& poll : polls) {
    if (counts(poll)) ++(poll.is_node ? nodes : others);
  }
  return requests_of_poll(nodes, others);
}

}  // namespace

std::vector<std::size_t> pick_round(const std::vector<DuePoll>& due, const std::array<std::optional<std::size_t>, poll_ranks>& left) {
  Round round(due);
  for (std::size_t rank = 0; rank < poll_ranks; ++rank) {
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < due.size(); ++i) {
      if (static_cast<std::size_t>(due[i].rank) == rank) some.push_back(i);
    }
    if (left[rank] && !some.empty()) round.take(std::move(some), *left[rank]);
  }
  round.take_with_list();
  return round.chosen;
}

std::size_t requests_made(std::size_t nodes, std::size_t targets, std::size_t made) {
  const bool has_list = nodes > 0 && targets >= enough_for_a_list;
  const std::size_t of_list = has_list ? requests_of_poll(std::max(nodes, enough_for_a_list), 0) : 0;
  return std::max(made + of_list, targets - nodes);
}

std::optional<SteadyTime> QuotaPlace::line_up(const std::vector<DuePoll>& due, PollRank rank, SteadyTime now) {
  const std::size_t requests = requests_of(due, [rank](const DuePoll& poll) { return poll.rank == rank; });
  const bool has_node = std::any_of(due.begin(), due.end(), [rank](const DuePoll& poll) { return poll.rank == rank && poll.is_node; });
  // For one poll: more are taken if there is room for them.
  if (requests > 0) return quota_->line_up(source_, rank, std::min(requests, requests_of_poll(has_node ? 1 : 0, has_node ? 0 : 1)), now);
  quota_->step_out(source_, rank);
  return std::nullopt;
}

SteadyTime QuotaPlace::line_up(const std::vector<DuePoll>& due, SteadyTime now) {
  SteadyTime next = SteadyTime::max();
  for (const PollRank rank : all_ranks) next = std::min(next, line_up(due, rank, now).value_or(next));
  return next;
}

std::vector<std::size_t> QuotaPlace::take(const std::vector<DuePoll>& due, const std::vector<DuePoll>& all, SteadyTime now) {
  std::array<std::optional<std::size_t>, poll_ranks> left;
  for (const PollRank rank : all_ranks) {
    const std::optional<SteadyTime> when = line_up(due, rank, now);
    if (when && *when <= now) left[static_cast<std::size_t>(rank)] = std::min(quota_->left(rank, now), quota_->share_of_round());
  }
  std::vector<std::size_t> chosen = pick_round(due, left);
  if (chosen.empty()) return chosen;
  for (const PollRank rank : all_ranks) quota_->step_out(source_, rank);
  const auto nodes =
      static_cast<std::size_t>(std::count_if(chosen.begin(), chosen.end(), [&due](std::size_t i) { return due[i].is_node; }));
  const std::size_t requests = requests_of_poll(nodes, chosen.size() - nodes);
  std::vector<DuePoll> taken;
  for (const std::size_t i : chosen) taken.push_back(due[i]);
  const std::size_t of_there = requests_of(taken, [](const DuePoll& poll) { return poll.rank == PollRank::there; });
  spent_ = quota_->spend(requests, requests - std::min(requests, of_there), now);
  while (!lately_.empty() && now - lately_.front()->when > counted_time) lately_.pop_front();
  lately_.push_back(spent_);
  const auto is_usual = [](const DuePoll& poll) { return poll.rank == PollRank::there && !poll.has_own_time; };
  const auto is_of_rest = [](const DuePoll& poll) { return poll.rank == PollRank::rest || poll.has_own_time; };
  const auto is_fresh = [is_usual](const DuePoll& poll) { return is_usual(poll) && poll.is_fresh; };
  quota_->note(source_, requests_of(all, is_usual), requests_of(all, is_of_rest), requests_of(all, is_fresh));
  return chosen;
}

std::size_t QuotaPlace::requests_a_minute(SteadyTime now) const {
  std::size_t sum = 0;
  for (const std::shared_ptr<Spending>& one : lately_) sum += now - one->when <= counted_time ? one->requests : 0;
  return sum;
}

}  // namespace rollcall::fleet
