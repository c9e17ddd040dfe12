// Waits for clusters of a simulated cloud, in virtual time.
#include <catch2/catch.hpp>

#include "readiness/wait_judge.hpp"
#include "rollcall/cause_text.hpp"
#include "rollcall/simple_resolver.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/union_resolver.hpp"
#include "rollcall/wait.hpp"
#include "support/cloud_loop.hpp"
#include "support/result.hpp"
#include "support/wait_story.hpp"

using namespace rollcall;
using rollcall::testing::CloudLoop;
using rollcall::testing::WaitStory;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

TpuOptions waited_node() { return TpuOptions("trainer").project("example-proj").zone("us-central2-b"); }

// A v4-16 (two hosts) with further members of its JSON object, such as a timeline.
std::string cloud_with(const std::string& more) {
  return R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-16", "endpoints": ["10.0.0.1", "10.0.0.2"])" + more + "}]}";
}

constexpr const char* ready_after_a_minute =
    R"(, "timeline": [{"at": "0s", "state": "CREATING", "endpoints": []},
                     {"at": "60s", "state": "READY", "health": "HEALTHY", "endpoints": ["10.0.0.1", "10.0.0.2"]}])";

}  // namespace

TEST_CASE("a TPU that is being created is waited for, and the wait ends within one poll after it is ready") {
  CloudLoop t(cloud_with(ready_after_a_minute));
  WaitStory story;
  const ClusterStatus status = t.run(wait_until_ready(make_tpu_resolver(t.runtime, waited_node()), usually_ready, story.options()));
  CHECK(status.spec().to_json() == R"({"worker":["10.0.0.1:8470","10.0.0.2:8470"]})");
  CHECK(t.elapsed() >= 60);
  CHECK(t.elapsed() < 60 + 36);
  CHECK(story.lines == std::vector<std::string>{"0/2 ready · waiting for worker 0-1: CREATING", "2/2 ready"});
  CHECK(t.asked("tpu.nodes.get") <= 12);
}

TEST_CASE("at the deadline every missing member is named with its last state") {
  CloudLoop t(cloud_with(R"(, "workers": {"runtime": "tensorflow", "except": [{"worker": 1, "runtime": "none"}]})"));
  const auto result = t.run(
      try_wait_until_ready(make_tpu_resolver(t.runtime, waited_node()), usually_ready | Readiness::reachable, WaitOptions().timeout(3min)));
  testing::check_failure(result, Errc::deadline_exceeded,
                         "tpu:trainer: not ready within 3 m: 1 of 2 ready; missing: worker 1 (10.0.0.2:8470): "
                         "connection refused for 3 m");
  CHECK(t.elapsed() == 180);
}

TEST_CASE("a cluster that can never be ready ends the wait at once, with the reason") {
  const auto [state, text] = GENERATE(table<std::string, std::string>({{"PREEMPTED", "will not become ready: PREEMPTED"},
                                                                       {"DELETING", "will not become ready: DELETING"},
                                                                       {"TERMINATED", "will not become ready: TERMINATED"},
                                                                       {"STOPPED", "will not become ready: STOPPED"}}));
  CloudLoop t(cloud_with(R"(, "state": ")" + state + "\""));
  const auto result = t.run(try_wait_until_ready(make_tpu_resolver(t.runtime, waited_node())));
  testing::check_failure(result, Errc::not_ready, text);
  CHECK(!result.error().hint().empty());
  CHECK(t.elapsed() == 0);
}

TEST_CASE("preempted during the wait") {
  CloudLoop t(cloud_with(R"(, "timeline": [{"at": "0s", "state": "CREATING"}, {"at": "20s", "state": "PREEMPTED"}])"));
  const auto result = t.run(try_wait_until_ready(make_tpu_resolver(t.runtime, waited_node())));
  REQUIRE(result.has_error());
  CHECK(result.error().code() == Errc::not_ready);
  CHECK(t.elapsed() < 20 + 36);
}

TEST_CASE("a stopped member is waited for if it will be started") {
  CloudLoop t(cloud_with(R"(, "timeline": [{"at": "0s", "state": "STOPPED"}, {"at": "100s", "state": "READY"}])"));
  const auto result =
      t.run(try_wait_until_ready(make_tpu_resolver(t.runtime, waited_node()), usually_ready, WaitOptions().for_start(true)));
  CHECK(result.has_value());
}

TEST_CASE("a cluster that does not exist is a failure unless its existence is waited for") {
  CloudLoop t(cloud_with(R"(, "timeline": [{"at": "0s", "state": "DELETED"}, {"at": "45s", "state": "READY"}])"));
  const auto tpu = make_tpu_resolver(t.runtime, waited_node());
  const auto refused = t.run(try_wait_until_ready(tpu));
  REQUIRE(refused.has_error());
  CHECK(refused.error().code() == Errc::not_found);
  WaitStory story;
  const auto found = t.run(try_wait_until_ready(tpu, usually_ready, story.options().for_existence(true)));
  REQUIRE(found.has_value());
  CHECK_THAT(story.lines.front(), Contains("0 ready · ") && Contains("trainer"));
}

TEST_CASE("health counts only if it is requested") {
  CloudLoop t(cloud_with(R"(, "health": "UNHEALTHY_TENSORFLOW", "health_description": "no runtime")"));
  const auto tpu = make_tpu_resolver(t.runtime, waited_node());
  CHECK(t.run(try_wait_until_ready(tpu, Readiness::state | Readiness::endpoints)).has_value());
  const auto unhealthy = t.run(try_wait_until_ready(tpu, usually_ready, WaitOptions().timeout(1min)));
  REQUIRE(unhealthy.has_error());
  CHECK_THAT(unhealthy.error().what(), Contains("UNHEALTHY_TENSORFLOW (no runtime)"));
}

TEST_CASE("workers that answer count although the API's state is older") {
  CloudLoop t(R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-16", "endpoints": ["10.0.0.1", "10.0.0.2"], "state": "REPAIRING"}],
    "workers": [{"address": "10.0.0.1"}, {"address": "10.0.0.2"}]})");
  const auto tpu = make_tpu_resolver(t.runtime, waited_node());
  CHECK(t.run(try_wait_until_ready(tpu, Readiness::reachable)).has_value());
  CHECK(t.run(try_wait_until_ready(tpu, Readiness::devices)).has_value());
  CHECK(t.elapsed() < 1);
  CHECK(t.run(try_wait_until_ready(tpu, Readiness::state | Readiness::reachable, WaitOptions().timeout(1min))).has_error());
}

TEST_CASE("an outage of the API does not end a wait") {
  CloudLoop t(R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-16"}],
    "faults": [{"match": {"path": "*/nodes/trainer"}, "until": "200s", "status": 503}]})");
  WaitStory story;
  const auto result = t.run(try_wait_until_ready(make_tpu_resolver(t.runtime, waited_node()), usually_ready, story.options()));
  REQUIRE(result.has_value());
  CHECK(t.elapsed() >= 200);
  CHECK_THAT(story.lines.front(), Contains("cannot ask: "));
  CHECK(story.lines.back() == "2/2 ready");
}

TEST_CASE("a refusal ends the wait") {
  CloudLoop t(R"({"nodes": [{"name": "trainer"}], "faults": [{"match": {"path": "*/nodes/trainer"}, "status": 403}]})");
  const auto result = t.run(try_wait_until_ready(make_tpu_resolver(t.runtime, waited_node())));
  REQUIRE(result.has_error());
  CHECK(result.error().code() == Errc::permission_denied);
}

TEST_CASE("a worker that answers only at times is not ready") {
  // Worker 0 answers in the first minute only, worker 1 from the second minute on; both from the third.
  CloudLoop t(R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-16", "endpoints": ["10.0.0.1", "10.0.0.2"]}],
    "workers": [{"address": "10.0.0.1", "timeline": [{"at": "60s", "runtime": "none"}, {"at": "180s", "runtime": "tensorflow"}]},
                {"address": "10.0.0.2", "runtime": "none", "timeline": [{"at": "60s", "runtime": "tensorflow"}]}]})");
  const auto result = t.run(try_wait_until_ready(make_tpu_resolver(t.runtime, waited_node()), Readiness::reachable));
  REQUIRE(result.has_value());
  CHECK(t.elapsed() >= 180);
}

TEST_CASE("members asked for by number") {
  CloudLoop t("{}");
  const auto two = make_simple_resolver(t.runtime, SimpleOptions(ClusterSpec::from_json(R"({"worker": ["a:1", "b:1"]})").value()));
  CHECK(t.run(try_wait_until_ready(two)).has_value());
  const auto three = t.run(try_wait_until_ready(two, usually_ready, WaitOptions().members(3).timeout(10s)));
  rollcall::testing::check_failure(three, Errc::not_ready,
                                   "simple: it has 2 members and gets no more: 3 are awaited");  // a list does not grow
  CHECK(t.elapsed() < 1);
}

TEST_CASE("a wait is cancelled at once and leaves nothing behind") {
  CloudLoop t(cloud_with(ready_after_a_minute));
  auto waiting = t.start(try_wait_until_ready(make_tpu_resolver(t.runtime, waited_node())));
  REQUIRE(!waiting.done());
  waiting.cancel();
  t.poll();
  REQUIRE(waiting.done());
  CHECK(waiting.value().error().code() == Errc::cancelled);
  CHECK(t.http->in_flight() == 0);
  CHECK(!t.time->next_alarm());
}

TEST_CASE("queueing and provisioning have separate limits") {
  const std::string cloud = R"({"queued_resources": [{"name": "req", "node": {"accelerator_type": "v4-8"}, "timeline": [
    {"at": 0, "state": "WAITING_FOR_RESOURCES"}, {"at": 3600, "state": "PROVISIONING"}, {"at": 5400, "state": "ACTIVE"}]}]})";
  const auto wait = [&](WaitOptions options) {
    CloudLoop t(cloud);
    options.timeout(std::chrono::hours(24));
    auto resolver = make_resolver(t.runtime, "tpu:qr/req,project=example-proj,zone=us-central2-b").value();
    auto answer = t.run(try_wait_until_ready(std::move(resolver), usually_ready, options));  // runs before elapsed() is read
    return std::make_pair(std::move(answer), t.elapsed());
  };
  const auto [queued, after_queue] = wait(WaitOptions().queue_timeout(30min));
  REQUIRE(queued.has_error());
  CHECK(queued.error().code() == Errc::deadline_exceeded);
  CHECK_THAT(queued.error().message(), Contains("still queued for capacity") && Contains("the request stays: delete it"));
  CHECK(after_queue >= 1800);
  CHECK(after_queue < 1801);
  const auto [slow, after_grant] = wait(WaitOptions().provision_timeout(10min));
  REQUIRE(slow.has_error());
  CHECK_THAT(slow.error().message(), Contains("granted, but not ready within 10 m"));
  CHECK(after_grant >= 4200);
  CHECK(after_grant < 4700);
  CHECK(wait(WaitOptions().queue_timeout(2h).provision_timeout(1h)).first.has_value());
}

TEST_CASE("many TPUs of a zone are polled by one list, not one by one") {
  CloudLoop t(
      R"({"nodes": [{"name": "fleet-{i}", "count": 100, "accelerator_type": "v4-8", "timeline": [{"at": "0s", "state": "CREATING"}, {"at": "20s", "state": "READY"}]}]})");
  std::vector<std::shared_ptr<ClusterResolver>> fleet;
  for (int i = 0; i < 100; ++i) {
    TpuOptions one("fleet-" + std::to_string(i));
    one.project("example-proj").zone("us-central2-b");
    fleet.push_back(make_tpu_resolver(t.runtime, std::move(one)));
  }
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(make_union_resolver(t.runtime, std::move(fleet))));
  REQUIRE(status);
  CHECK(status->members.size() == 100);
  CHECK(t.asked("tpu.nodes.get") == 0);
  CHECK(t.asked("tpu.nodes.list") <= 10);
}

TEST_CASE("the conditions of a wait by name") {
  CHECK(parse_readiness("state,reachable").value() == (Readiness::state | Readiness::reachable));
  CHECK(to_string(usually_ready) == "state,health,endpoints");
  const auto misspelt = parse_readiness("state,reachabel");
  REQUIRE(misspelt.has_error());
  CHECK_THAT(misspelt.error().message(), Contains("'reachabel' is nothing to wait for") && Contains("did you mean reachable?"));
  CHECK(parse_readiness("").has_error());
  CHECK(parse_readiness("state,").has_error());
}

TEST_CASE("missing members are grouped by reason") {
  WaitProgress progress;
  progress.total = 40;
  progress.ready = 34;
  progress.at = SteadyTime(200s);
  const auto add = [&progress](int index, std::string address, std::string why, Duration since) {
    MissingMember& missing = progress.missing.emplace_back();
    missing.member = Member("worker", index);
    missing.member.address = std::move(address);
    missing.why = std::move(why);
    missing.since = SteadyTime(since);
  };
  for (const int index : {3, 4, 5, 7}) add(index, {}, "CREATING", 100s);
  add(17, "10.0.0.17:8470", "connection refused", 70s);
  add(6, "10.0.0.6:8470", "no answer to a connection", 10s);
  CHECK(progress.missing_text() ==
        "worker 3-5, 7: CREATING for 1 m 40 s; worker 6 (10.0.0.6:8470): no answer to a connection for 3 m 10 s; "
        "worker 17 (10.0.0.17:8470): connection refused for 2 m 10 s");
  CHECK(progress.line() == "34/40 ready · waiting for worker 3-5, 7: CREATING for 1 m 40 s, and 2 more");
}

TEST_CASE("what the members say already is not said again of the whole") {
  WaitProgress progress;
  progress.total = 1;
  progress.status.state = Condition(MemberState::waiting, "PENDING (Resources): it needs 8 nodes; n4 is drained");
  progress.status.causes = {Cause(CauseLayer::schedule, "Resources", "it needs 8 nodes", "Slurm job 7"),
                            Cause(CauseLayer::node, "DRAIN", "drained", "node n4")};
  MissingMember& missing = progress.missing.emplace_back();
  missing.member = Member("worker", 0);
  missing.why = "not there yet: " + causes_text(progress.status.causes);
  CHECK(progress.line() == "0/1 ready · waiting for worker 0: " + missing.why);
  missing.why = "not there yet: Resources: it needs 8 nodes";  // the node is named by the whole alone
  CHECK(progress.line() == "0/1 ready · waiting for worker 0: " + missing.why + " · " + progress.status.state.text);
  progress.status.causes.clear();
  progress.status.state.text = missing.why = "SUSPENDED";
  CHECK(progress.line() == "0/1 ready · waiting for worker 0: SUSPENDED");
}

TEST_CASE("members that only a list names are not called ready") {
  CloudLoop t(cloud_with(ready_after_a_minute));
  WaitStory story;
  const auto listed =
      make_simple_resolver(t.runtime, SimpleOptions(*ClusterSpec::from_json(R"({"ps":["10.255.255.1:1","10.255.255.2:1"]})")));
  t.run(wait_until_ready(listed, usually_ready, story.options()));
  CHECK(story.lines == std::vector<std::string>{"2/2 listed, not asked"});
  WaitStory both;
  const auto together = make_union_resolver(t.runtime, {make_tpu_resolver(t.runtime, waited_node()), listed});
  t.run(wait_until_ready(together, usually_ready, both.options()));
  CHECK(both.lines.back() == "4/4 ready (2 of them listed, not asked)");
}

TEST_CASE("a wait with for_replacement lasts through a preemption, and while the node does not exist") {
  CloudLoop t(cloud_with(
      R"(, "timeline": [{"at": "0s", "state": "PREEMPTED"}, {"at": "30s", "state": "DELETED"}, {"at": "60s", "state": "CREATING"},
                                           {"at": "90s", "state": "READY", "endpoints": ["10.0.0.1", "10.0.0.2"]}])"));
  WaitStory story;
  const ClusterStatus status =
      t.run(wait_until_ready(make_tpu_resolver(t.runtime, waited_node()), usually_ready, story.options().for_replacement(true)));
  CHECK(status.members.size() == 2);
  CHECK(t.elapsed() >= 90);
  CHECK_THAT(story.lines.front(), Contains("PREEMPTED"));
  CHECK(story.lines.back() == "2/2 ready");
}
