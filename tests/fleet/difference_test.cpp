// The difference between an older status and the present one, compared with statuses that were kept whole.
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

#include "fleet/rules/recent_changes.hpp"
#include "support/whole_status.hpp"

using namespace rollcall;
using namespace rollcall::fleet;

namespace {

class History {
 public:
  explicit History(unsigned seed) : random_(seed) {}

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  ClusterStatus next(const ClusterStatus& before) {
    ClusterStatus now = before;
    now.jobs = {"chief", "worker"};
    for (int changes = pick(4); changes >= 0; --changes) change(now);
    now.phase = static_cast<ClusterPhase>(pick(3));
    now.state.text = std::string(static_cast<std::size_t>(pick(3)), 'x');
    return now;
  }

 private:
  void change(ClusterStatus& status) {
    Member member(pick(4) == 0 ? "chief" : "worker", pick(12));
    const auto goes_before = [](const Member& a, const Member& b) { return std::tie(a.job, a.index) < std::tie(b.job, b.index); };
    const auto at = std::lower_bound(status.members.begin(), status.members.end(), member, goes_before);
    const bool is_there = at != status.members.end() && at->job == member.job && at->index == member.index;
    if (is_there && pick(3) == 0) {
      status.members.erase(at);
      return;
    }
    member.uid = std::string(1, static_cast<char>('a' + pick(2)));
    member.address = pick(3) == 0 ? "" : "10.0.0.1:1";
    member.state.level = pick(3) == 0 ? MemberState::lost : MemberState::ready;
    if (is_there) {
      *at = member;
    } else {
      status.members.insert(at, member);
    }
  }

  std::mt19937 random_;
};

// The membership, counted independently.
using Membership = std::vector<std::tuple<std::string, int, std::string, std::string>>;
Membership ready_members(const ClusterStatus& status) {
  Membership all;
  for (const Member& one : status.members) {
    if (one.state.level == MemberState::ready && one.health.level == MemberState::ready)
      all.emplace_back(one.job, one.index, one.address, one.uid);
  }
  return all;
}

StatusStep step_of(const ClusterStatus& before, const ClusterStatus& now) { return StatusStep(testing::status_diff(before, now, {})); }

}  // namespace

TEST_CASE("the difference brings any older status up to date, and says no more than it must") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    History history(seed);
    RecentChanges recent;
    std::vector<ClusterStatus> statuses = {history.next(ClusterStatus())};
    CHECK(!recent.since(0, statuses.back()));
    recent.restart(10);
    for (std::uint64_t revision = 20; revision <= 300; revision += 10) {
      ClusterStatus now = history.next(statuses.back());
      StatusStep step = step_of(statuses.back(), now);
      CHECK(step.has_another_membership == (ready_members(statuses.back()) != ready_members(now)));
      recent.add(revision, std::move(step.former));
      statuses.push_back(std::move(now));
    }
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      for (const std::uint64_t revision : {10 * (i + 1), 10 * (i + 1) + 9}) {
        std::optional<StatusDelta> delta = recent.since(revision, statuses.back());
        REQUIRE(delta);
        CHECK(*delta == status_delta(statuses[i], statuses.back(), 1000));
        ClusterStatus known = statuses[i];
        apply_delta(known, std::move(*delta));
        CHECK(known == statuses.back());
      }
    }
    CHECK(!recent.since(9, statuses.back()));
  }
}

TEST_CASE("what is remembered is bounded, by places and by bytes") {
  RecentChanges recent;
  ClusterStatus status;
  status.members.emplace_back("worker", 0);
  recent.restart(1);
  const auto add = [&recent](std::uint64_t revision, std::size_t places, std::size_t text) {
    std::vector<FormerMember> former(places);
    for (std::size_t i = 0; i < places; ++i) {
      former[i].job = "worker";
      former[i].index = static_cast<int>(i);
      former[i].member = Member("worker", static_cast<int>(i));
      former[i].member->state.text = std::string(text, 'x');
    }
    recent.add(revision, std::move(former));
  };
  add(2, 10, 10);
  CHECK(recent.since(1, status));
  add(3, 1015, 0);
  CHECK(!recent.since(1, status));
  CHECK(!recent.since(2, status));  // changes of a thousand places take more than 64 KiB
  CHECK(recent.since(3, status));
  for (std::uint64_t revision = 4; revision < 1000; ++revision) {
    add(revision, 1, 1000);
    CHECK(recent.bytes() <= 64 * 1024);
    CHECK(recent.since(revision - 1, status));
  }
  CHECK(!recent.since(900, status));
}

TEST_CASE("a member that was ready and is missing without a word is forgotten, not lost") {
  ClusterStatus before;
  for (int i = 0; i < 3; ++i) before.members.emplace_back("worker", i).address = "10.0.0.1:1";
  const auto forgets = [&before](auto change) {
    ClusterStatus now = before;
    change(now);
    return !step_of(before, now).forgotten.empty();
  };
  CHECK(forgets([](ClusterStatus& now) { now.members.pop_back(); }));
  CHECK(forgets([](ClusterStatus& now) { now.members[1].address.clear(); }));
  CHECK(!forgets([](ClusterStatus& now) { now.members[1].address = "10.0.0.9:1"; }));
  CHECK(!forgets([](ClusterStatus& now) { now.members[1].state = Condition(MemberState::lost, "PREEMPTED"); }));
  CHECK(!forgets([](ClusterStatus& now) { now.members.emplace_back("worker", 3); }));
  before.members[2].state.level = MemberState::waiting;
  CHECK(!forgets([](ClusterStatus& now) { now.members.pop_back(); }));
}

TEST_CASE("two looks that forget different members agree on nothing, and the third that forgets is believed") {
  const std::set<std::pair<std::string, int>> a = {{"worker", 0}}, b = {{"worker", 1}}, both = {{"worker", 0}, {"worker", 1}};
  fleet::Unconfirmed unconfirmed;
  CHECK_FALSE(unconfirmed.holds({}));
  CHECK(unconfirmed.holds(a));
  CHECK_FALSE(unconfirmed.holds(a));
  unconfirmed.end();
  CHECK(unconfirmed.holds(both));
  CHECK_FALSE(unconfirmed.holds(b));  // of two members that one poll lacked, one is back
  unconfirmed.end();
  CHECK(unconfirmed.holds(a));
  CHECK(unconfirmed.holds(b));
  CHECK_FALSE(unconfirmed.holds(a));
  unconfirmed.end();
  CHECK(unconfirmed.holds_whole());
  CHECK_FALSE(unconfirmed.holds_whole());
  unconfirmed.end();
  CHECK(unconfirmed.holds(a));
  CHECK(unconfirmed.holds_whole());
  CHECK_FALSE(unconfirmed.holds_whole());
  unconfirmed.end();
  CHECK(unconfirmed.holds_whole());
  CHECK_FALSE(unconfirmed.holds(a));  // it was missing in the poll before, too
}
