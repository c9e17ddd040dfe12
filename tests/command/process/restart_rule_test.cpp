// Restart or end? All cases, without waiting.
#include "command/process/restart_rule.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace rollcall;
using namespace rollcall::command;
using namespace std::chrono_literals;

namespace {

double half() { return 0.5; }

RunEnd ended(int status, StopReason stopped_for = StopReason::none, ClusterCheck poll = ClusterCheck::not_yet) {
  RunEnd end;
  end.status = status;
  end.stopped_for = stopped_for;
  end.poll = poll;
  return end;
}

RunEnd signalled_from_outside(RunEnd end) {
  end.is_signalled_from_outside = true;
  return end;
}

RunEnd after_running(Duration time) {
  RunEnd end = ended(143, StopReason::member_lost);
  end.ran = time;
  return end;
}

class RuleCase {
 public:
  const char* what;
  RunEnd end;
  NextStep on_lost;
  NextStep on_both;
  NextStep on_failed;
};

}  // namespace

TEST_CASE("what follows when a program has ended") {
  const auto lost = StopReason::member_lost;
  const auto none = StopReason::none;
  const NextStep end = NextStep::end;
  const NextStep again = NextStep::restart;
  const std::vector<RuleCase> cases = {
      {"its work is done", ended(0), end, end, end},
      {"its work is done, and a member is lost", ended(0, none, ClusterCheck::lost), end, end, end},
      {"it has failed", ended(1), NextStep::poll, NextStep::poll, again},
      {"it has failed, and nothing is lost", ended(1, none, ClusterCheck::whole), end, again, again},
      {"it has failed, and a member is lost", ended(1, none, ClusterCheck::lost), again, again, again},
      {"it was killed, and a member is lost", ended(137, none, ClusterCheck::lost), again, again, again},
      {"it was stopped for a loss", ended(143, lost), again, again, again},
      {"it was stopped for a loss, and ended in order", ended(0, lost), again, again, again},
      {"it was killed after its grace", ended(137, lost), again, again, again},
      {"it was stopped since another joined", ended(143, StopReason::cluster_grown), again, again, again},
      {"its own machine is taken away", ended(143, StopReason::own_machine_lost), NextStep::give_up, NextStep::give_up, NextStep::give_up},
      {"we were told to end", signalled_from_outside(ended(143)), end, end, end},
      {"we were told to end while it was stopped for a loss", signalled_from_outside(ended(143, lost)), end, end, end},
      {"we were told to end, and it fails", signalled_from_outside(ended(1, none, ClusterCheck::lost)), end, end, end},
  };
  for (const RuleCase& one : cases) {
    CAPTURE(one.what);
    CHECK(RestartRule(true, false, 3).after(one.end, half).step == one.on_lost);
    CHECK(RestartRule(true, true, 3).after(one.end, half).step == one.on_both);
    CHECK(RestartRule(false, true, 3).after(one.end, half).step == one.on_failed);
  }
}

TEST_CASE("restarts are counted, and come ever later") {
  RestartRule rule(true, true, 3);
  std::vector<Duration> pauses;
  for (int i = 0; i < 3; ++i) {
    CHECK(rule.after(ended(1, StopReason::none), half).step == NextStep::poll);  // does not count
    const RestartDecision next = rule.after(ended(143, StopReason::member_lost), half);
    REQUIRE(next.step == NextStep::restart);
    pauses.push_back(next.pause);
  }
  CHECK((pauses[0] < 1s && pauses[0] < pauses[1] && pauses[1] < pauses[2] && pauses[2] < 4s));
  CHECK(rule.after(ended(143, StopReason::member_lost), half).step == NextStep::give_up);
  CHECK(rule.after(ended(1, StopReason::none, ClusterCheck::whole), half).step == NextStep::give_up);
  CHECK(rule.after(ended(0), half).step == NextStep::end);
  CHECK((rule.restarts() == 3 && rule.counted() == 3));
}

TEST_CASE("no restart is allowed") {
  RestartRule rule(true, true, 0);
  CHECK(rule.after(ended(143, StopReason::member_lost), half).step == NextStep::give_up);
  CHECK(rule.after(ended(7, StopReason::none, ClusterCheck::whole), half).step == NextStep::give_up);
  CHECK(rule.after(ended(0), half).step == NextStep::end);
}

TEST_CASE("pauses have an upper bound, and chance in them") {
  RestartRule rule(true, false, 1000);
  for (int i = 0; i < 100; ++i) CHECK(rule.after(after_running(1s), [] { return 0.999; }).pause <= RestartRule::max_pause);
  CHECK(rule.after(after_running(1s), [] { return 0.999; }).pause > 59s);
  CHECK(rule.after(after_running(1s), [] { return 0.0; }).pause < 1s);
}

TEST_CASE("after a long run the count starts from 0") {
  RestartRule rule(true, false, 2);
  for (const Duration time : {Duration(1s), Duration(RestartRule::long_run), Duration(1s)})
    CHECK(rule.after(after_running(time), half).step == NextStep::restart);
  CHECK(rule.counted() == 2);
  CHECK(rule.restarts() == 3);
  CHECK(rule.after(after_running(RestartRule::long_run - 1ns), half).step == NextStep::give_up);
}

TEST_CASE("restarts for a member that joined are not counted, and bounded by the cluster's size alone") {
  RestartRule rule(true, false, 1);
  for (int i = 0; i < 50; ++i) {
    const RestartDecision next = rule.after(ended(143, StopReason::cluster_grown), half);
    CHECK((next.step == NextStep::restart && next.pause <= 1s));
  }
  CHECK((rule.restarts() == 50 && rule.counted() == 0));
  CHECK(rule.after(ended(143, StopReason::member_lost), half).step == NextStep::restart);
  CHECK(rule.after(ended(143, StopReason::cluster_grown), half).step == NextStep::restart);
  CHECK(rule.after(ended(143, StopReason::member_lost), half).step == NextStep::give_up);
}
