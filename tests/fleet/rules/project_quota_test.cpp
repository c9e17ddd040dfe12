// The requests of a project's sources within a minute, and the targets that a round polls of those that are due.
#include <catch2/catch.hpp>

#include <deque>

#include "fleet/rules/poll_round.hpp"

using namespace rollcall;
using namespace rollcall::fleet;
using namespace std::chrono_literals;

namespace {

DuePoll poll_of(PollRank rank, bool is_node, Duration asked_at = 0s) {
  DuePoll poll;
  poll.rank = rank;
  poll.is_node = is_node;
  poll.asked_at = SteadyTime(asked_at);
  return poll;
}

using Left = std::array<std::optional<std::size_t>, poll_ranks>;
using Chosen = std::vector<std::size_t>;

}  // namespace

TEST_CASE("no minute has more requests than the quota, and what is there keeps its part of it") {
  ProjectQuota quota(40, 2s);
  const SteadyTime start{};
  CHECK(quota.left(PollRank::there, start) == 40);
  CHECK(quota.left(PollRank::rest, start) == 40);
  quota.note("tpu/p/z", 2);
  CHECK(quota.left(PollRank::unseen, start) == 25);
  quota.note("tpu/p/z", 100);
  CHECK(quota.left(PollRank::unseen, start) == 10);  // a quarter
  CHECK(quota.left(PollRank::there, start) == 40);
  quota.note("tpu/p/z", 2);
  const auto spent = quota.spend(20, 0, start);
  (void)quota.spend(5, 0, start + 10s);
  CHECK(quota.left(PollRank::rest, start + 10s) == 0);
  CHECK(quota.left(PollRank::there, start + 10s) == 15);
  CHECK(quota.line_up("tpu/p/a", PollRank::rest, 5, start + 10s) == start + 61s);
  CHECK(quota.line_up("tpu/p/z", PollRank::there, 2, start + 10s) == start + 10s);
  quota.step_out("tpu/p/z", PollRank::there);
  CHECK(quota.line_up("tpu/p/a", PollRank::rest, 22, start + 10s) == start + 71s);
  quota.correct(*spent, 3);  // the real number
  CHECK(quota.line_up("tpu/p/a", PollRank::rest, 5, start + 10s) == start + 10s);
  CHECK_FALSE(quota.is_idle(start + 70s));
  CHECK(quota.is_idle(start + 71s));
}

TEST_CASE("sources stand in line: what is there, what is new, then the rest, each in the order of its coming") {
  ProjectQuota quota(10, 2s);
  SteadyTime now{};
  for (int i = 0; i < 10; ++i) (void)quota.spend(1, 0, now + i * 1s);
  now += 20s;
  CHECK(quota.line_up("a", PollRank::rest, 1, now) == SteadyTime(61s));
  CHECK(quota.line_up("b", PollRank::rest, 1, now + 1s) == SteadyTime(62s));
  CHECK(quota.line_up("c", PollRank::unseen, 2, now + 2s) == SteadyTime(62s));
  CHECK(quota.line_up("a", PollRank::rest, 1, now + 3s) == SteadyTime(63s));
  CHECK(quota.line_up("b", PollRank::rest, 1, now + 3s) == SteadyTime(64s));
  CHECK(quota.line_up("d", PollRank::there, 1, now + 3s) == SteadyTime(61s));
  quota.forget("c");
  quota.forget("d");
  CHECK(quota.line_up("b", PollRank::rest, 1, now + 3s) == SteadyTime(62s));
  CHECK(quota.line_up("e", PollRank::rest, 100, now + 4s) == SteadyTime(70s));  // more than the quota: alone
}

TEST_CASE("what is new or missing is asked for evenly, after a burst") {
  ProjectQuota quota(30, 2s);
  SteadyTime now{};
  const auto ask = [&quota, &now] {
    const bool may_ask = quota.line_up("a", PollRank::unseen, 1, now) <= now;
    if (may_ask) (void)quota.spend(1, 1, now);
    quota.step_out("a", PollRank::unseen);
    return may_ask;
  };
  std::deque<int> asked;
  int at_once = 0;
  while (ask()) ++at_once;
  CHECK(at_once == 30);
  for (int second = 1; second <= 300; ++second) {
    now += 1s;
    int count = 0;
    while (ask()) ++count;
    CHECK(count <= (second == 61 ? 5 : 2));  // the allowance that the burst has regained
    if (second < 61) CHECK(count == 0);
    asked.push_back(count);
  }
  int in_a_minute = 0;
  for (auto one = asked.end() - 60; one != asked.end(); ++one) in_a_minute += *one;
  CHECK(in_a_minute <= 30);
  CHECK(in_a_minute >= 28);
}

TEST_CASE("what does not exist takes a quarter of the quota from the pace of what is there, at most") {
  ProjectQuota quota(60, 2s);
  quota.note("tpu/p/z", 15);
  CHECK(quota.pause() == 15s);
  quota.note("tpu/p/y", 0, 2);
  CHECK(quota.pause() == 18750ms);
  quota.note("tpu/p/x", 0, 1000);
  CHECK(quota.pause() == 20s);
  quota.forget("tpu/p/x");
  quota.forget("tpu/p/y");
  CHECK(quota.pause() == 15s);
}

TEST_CASE("a round takes as much as there is room for, the most urgent first, and what a list contains anyway") {
  const std::vector<DuePoll> due = {poll_of(PollRank::rest, false), poll_of(PollRank::there, false, 2s),
                                    poll_of(PollRank::there, false, 1s), poll_of(PollRank::unseen, false)};
  CHECK(pick_round(due, Left{8, 8, 8}) == Chosen({2, 1, 3, 0}));
  CHECK(pick_round(due, Left{8, 6, 6}) == Chosen({2, 1, 3}));
  CHECK(pick_round(due, Left{3, 3, 3}) == Chosen({2}));
  CHECK(pick_round(due, Left{0, 0, 0}) == Chosen({2}));  // one at least
  CHECK(pick_round(due, Left{std::nullopt, 2, std::nullopt}) == Chosen({3}));
  CHECK(pick_round(due, Left{}).empty());
  std::vector<DuePoll> nodes(5, poll_of(PollRank::there, true));
  nodes.back().rank = PollRank::rest;
  CHECK(pick_round(nodes, Left{1, std::nullopt, std::nullopt}) == Chosen({0, 1, 2, 3, 4}));
  nodes.erase(nodes.begin());
  CHECK(pick_round(nodes, Left{2, std::nullopt, std::nullopt}) == Chosen({0, 1}));
}
