#include <catch2/catch.hpp>

#include "base/order.hpp"
#include "base/timestamp.hpp"
#include "readiness/rules/poll_pace.hpp"
#include "rollcall/cluster_status.hpp"

using namespace rollcall;
using namespace std::chrono_literals;

TEST_CASE("polls are 2 s apart, then 1.5 times as long each time up to 30 s, and 2 s after a change") {
  PollPace pace;
  constexpr double middle = 0.5;
  for (const Duration wanted : {Duration(2s), Duration(3s), Duration(4500ms), Duration(6750ms), Duration(10125ms)}) {
    CHECK(pace.next(ClusterPhase::running, false, middle) == wanted);
  }
  for (int i = 0; i < 10; ++i) pace.next(ClusterPhase::provisioning, false, middle);
  CHECK(pace.next(ClusterPhase::running, false, middle) == 30s);
  CHECK(pace.next(ClusterPhase::running, true, middle) == 2s);
  CHECK(pace.next(ClusterPhase::running, false, middle) == 3s);
}

TEST_CASE("a poll is up to a fifth early or late") {
  CHECK(PollPace().next(ClusterPhase::running, false, 0) == 1600ms);
  CHECK(PollPace().next(ClusterPhase::running, false, 0.999999) < 2400ms);
  CHECK(PollPace().next(ClusterPhase::running, false, 0.999999) > 2399ms);
}

TEST_CASE("while a cluster is queued it is polled every 30 s to 5 min, and more often again after that") {
  PollPace pace;
  CHECK(pace.next(ClusterPhase::running, false, 0.5) == 2s);
  CHECK(pace.next(ClusterPhase::queued, false, 0.5) == 30s);
  for (int i = 0; i < 10; ++i) pace.next(ClusterPhase::queued, false, 0.5);
  CHECK(pace.next(ClusterPhase::queued, false, 0.5) == 5min);
  CHECK(pace.next(ClusterPhase::provisioning, false, 0.5) == 2s);
}

TEST_CASE("durations in two units at most") {
  CHECK(coarse_duration_text(400ms) == "0.4 s");
  CHECK(coarse_duration_text(12s) == "12 s");
  CHECK(coarse_duration_text(130s) == "2 m 10 s");
  CHECK(coarse_duration_text(3min) == "3 m");
  CHECK(coarse_duration_text(63min) == "1 h 3 m");
  CHECK(coarse_duration_text(52h) == "2 d 4 h");
  CHECK(coarse_duration_text(-1s) == "0.0 s");
}

TEST_CASE("equal elements keep their order") {
  std::vector<std::pair<int, int>> items;
  for (int i = 0; i < 1000; ++i) items.emplace_back((i * 7919) % 10, i);
  sort_stably(items, [](const auto& a, const auto& b) { return a.first < b.first; });
  CHECK(std::is_sorted(items.begin(), items.end()));
}

TEST_CASE("the members that have an address are the spec, with gaps") {
  ClusterStatus status;
  for (const int index : {0, 1, 3}) status.members.emplace_back("worker", index).address = "h" + std::to_string(index) + ":1";
  status.members[1].address.clear();
  status.members.emplace_back("ps", 0).address = "p:1";
  CHECK(status.spec().to_json() == R"({"worker":{"0":"h0:1","3":"h3:1"},"ps":["p:1"]})");
  CHECK(status.members[0].label() == "worker 0 (h0:1)");
  CHECK(status.members[1].label() == "worker 1");
}
