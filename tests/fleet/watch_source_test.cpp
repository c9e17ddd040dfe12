// Topics whose services report changes themselves.
#include <fmt/format.h>

#include "call/runtime_impl.hpp"
#include "fleet/fleet_support.hpp"
#include "fleet/topic_state.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

std::string pods(const std::string& how, const std::string& more = {}) {
  return R"({"kubernetes": {"namespace": "train", "managed_fields": false, "pods": [{"kind": "indexed_job", "name": "trainer", )" + how +
         "}]}" + more + "}";
}

std::shared_ptr<fleet::Topic> job(FleetLoop& t, const std::string& name = "trainer") {
  return t.topic("kubernetes:train,job.worker=job-name=" + name + ",address=pod,api_server=https://127.0.0.1:6443");
}

}  // namespace

TEST_CASE("pods are reported as they change, by one list and one watch") {
  FleetLoop t(pods(R"("count": 4, "except": [{"pod": 2, "running_after": 10, "ready_after": 15}])"));
  Ear ear;
  const auto topic = job(t);
  topic->listen(ear);
  t.pass(1);
  REQUIRE(topic->known().status);
  CHECK(topic->known().generation == 1);
  CHECK(topic->history().back().ready == 3);
  const std::uint64_t before = topic->known().revision;
  const ClusterStatus known = *topic->known().status;
  CHECK(t.pass_until([&topic] { return topic->known().generation == 2; }, 20) < 14.1);
  CHECK(topic->history().back().ready == 4);
  CHECK(t.asked("pods.list") == 1);
  CHECK(t.asked("pods.watch") == 1);
  ClusterStatus brought = known;
  std::optional<fleet::StatusDelta> delta = topic->since(before);
  REQUIRE(delta);
  CHECK(delta->changed.size() == 1);
  fleet::apply_delta(brought, std::move(*delta));
  CHECK(brought == *topic->known().status);
  CHECK(!topic->since(topic->known().revision + 1));
}

TEST_CASE("pods whose status gave way to others are followed by another stream, and are known again once there is room") {
  FleetLoop t(pods(R"("count": 2)"));
  Ear ear;
  const auto topic = job(t);
  topic->listen(ear);
  t.pass(1);
  REQUIRE(topic->known().status);
  std::dynamic_pointer_cast<fleet::TopicState>(topic)->give_way(Failure(Errc::limit_exceeded, "no memory is left"));
  CHECK_FALSE(topic->known().status);
  CHECK(topic->known().trouble == "no memory is left");
  CHECK(t.pass_until([&topic] { return topic->known().status != nullptr; }, 60) < 40);
  CHECK(topic->known().trouble.empty());
  CHECK(t.asked("pods.watch") == 2);
}

TEST_CASE("the causes that a follower adds are no reason to open its stream again") {
  FleetLoop t(pods(R"("count": 2, "timeline": [{"at": 0, "cause": "mount_failed"}])"));
  Ear ear;
  const auto topic = job(t);
  topic->listen(ear);
  t.pass(300);
  REQUIRE(topic->known().status);
  REQUIRE(topic->known().status->members.size() == 2);
  CHECK(topic->known().status->members.front().causes.front().code == "FailedMount");
  CHECK(t.asked("pods.list") > 2);  // it was polled
  CHECK(t.asked("pods.watch") == 1);
}

TEST_CASE("pods without changes are polled, so that their status stays fresh") {
  FleetLoop t(pods(R"("count": 2)"));
  Ear ear;
  const auto topic = job(t);
  topic->listen(ear);
  t.pass(1);
  const std::uint64_t revision = topic->known().revision;
  double oldest = 0;
  for (int i = 0; i < 300; ++i) {
    t.pass(1);
    oldest = std::max(oldest, t.age(*topic));
  }
  CHECK(oldest < 22.1);
  CHECK(t.asked("pods.list") <= 18);
  CHECK(t.asked("pods.watch") <= 2);
  CHECK(topic->known().revision == revision);
  const std::uint64_t lists = t.asked("pods.list");
  for (int i = 0; i < 100; ++i) {
    topic->refresh_soon();
    t.pass(0.1);
  }
  CHECK(t.asked("pods.list") - lists >= 5);
  CHECK(t.asked("pods.list") - lists <= 6);
  CHECK(t.age(*topic) <= 2.1);
}

TEST_CASE("a watch that is deaf is replaced once a poll shows what it does not report") {
  FleetLoop t(pods(R"("count": 2, "except": [{"pod": 1, "running_after": 1, "ready_after": 30}])",
                   R"(, "faults": [{"match": {"route": "pods.watch"}, "times": 1, "fault": "stall", "bytes": 0}])"));
  Ear ear;
  const auto topic = job(t);
  topic->listen(ear);
  t.pass(29);
  CHECK(topic->known().generation == 1);
  CHECK(t.pass_until([&topic] { return topic->known().generation == 2; }, 60) < 30);
  CHECK(t.asked("pods.watch") == 2);
  CHECK(topic->history().back().ready == 2);
}

TEST_CASE("a selector with many changes does not hide that the watch of another is deaf") {
  std::string flapping;
  for (int i = 1; i < 200; ++i) flapping += fmt::format(R"(, {{"at": {}, "ready": {}}})", i, i % 2 == 0);
  FleetLoop t(R"({"kubernetes": {"namespace": "train", "managed_fields": false, "pods": [
    {"kind": "indexed_job", "name": "deaf", "count": 1, "except": [{"pod": 0, "running_after": 1, "ready_after": 30}]},
    {"kind": "indexed_job", "name": "chatty", "count": 2, "except": [{"pod": 1, "timeline": [{"at": 0, "phase": "Running", "ready": true})" +
              flapping + R"(]}]}]},
    "faults": [{"match": {"route": "pods.watch"}, "times": 1, "fault": "stall", "bytes": 0}]})");
  Ear ear;
  const auto topic =
      t.topic("kubernetes:train,address=pod,job.deaf=job-name=deaf,job.noisy=job-name=chatty,api_server=https://127.0.0.1:6443");
  topic->listen(ear);
  t.pass(1);
  REQUIRE(topic->known().status);
  const auto is_reported = [&topic] {
    const auto& status = topic->known().status;
    return status && std::any_of(status->members.begin(), status->members.end(), [](const Member& member) {
             return member.job == "deaf" && member.state.level == MemberState::ready && member.health.level == MemberState::ready;
           });
  };
  double oldest = 0;
  double sent_at = 0;
  for (int i = 0; i < 150; ++i) {
    t.pass(1);
    if (sent_at == 0 && is_reported()) sent_at = t.elapsed();
    // Each status that is known is the truth of that moment or of a later one.
    if (t.elapsed() > 31 && !is_reported()) CHECK(t.age(*topic) > t.elapsed() - 30.1);
    oldest = std::max(oldest, t.age(*topic));
  }
  CHECK(sent_at > 0);
  CHECK(sent_at < 60);
  CHECK(oldest < 31);
  CHECK(t.asked("pods.list") <= 2 * 12);
}

TEST_CASE("pods that may not be read any more are reported as trouble, and followed again") {
  FleetLoop t(pods(R"("count": 2)", R"(, "faults": [{"match": {"route": "pods.list"}, "status": 403, "from": "5s", "until": "100s"}])"));
  Ear ear;
  const auto topic = job(t);
  topic->listen(ear);
  t.pass(30);
  CHECK((topic->known().failure || !topic->known().trouble.empty()));
  t.pass(20);
  REQUIRE(topic->known().failure);
  CHECK(topic->known().failure->code() == Errc::permission_denied);
}

TEST_CASE("the spec of pods is asked for after each change, and not in between") {
  FleetLoop t(pods(
      R"("count": 2, "except": [{"pod": 1, "timeline": [{"at": 0, "phase": "Running", "ready": true}, {"at": 10, "ready": false}]}])"));
  Ear ear(true);
  const auto topic = job(t);
  topic->listen(ear);
  t.pass(5);
  REQUIRE(topic->known().spec);
  CHECK((*topic->known().spec)->num_tasks("worker").value() == 2);
  const std::uint64_t lists = t.asked("pods.list");
  CHECK(lists == 2);
  const std::uint64_t generation = topic->known().generation;
  t.pass(7);
  CHECK(topic->known().generation == generation + 1);
  CHECK(t.asked("pods.list") == lists + 1);
}

TEST_CASE("a cluster that refuses is a failure that is looked at slowly, and one that is away is trouble") {
  FleetLoop t(pods(R"("count": 2)", R"(, "faults": [{"match": {"route": "pods.list"}, "status": 403, "until": "100s"}])"));
  Ear ear;
  const auto topic = job(t);
  topic->listen(ear);
  t.pass(95);
  REQUIRE(topic->known().failure);
  CHECK(topic->known().failure->code() == Errc::permission_denied);
  CHECK(t.asked("pods.list") <= 4);
  t.pass(45);
  CHECK(!topic->known().failure);
  CHECK(topic->known().generation == 1);

  FleetLoop away(R"({"kubernetes": {"namespace": "train", "managed_fields": false, "restarts": [6], "pods": [
    {"kind": "indexed_job", "name": "trainer", "count": 2}]}, "faults": [{"match": {"path": "*/pods"}, "status": 503, "from": "5s", "until": "200s"}]})");
  Ear other;
  const auto known = job(away);
  known->listen(other);
  away.pass(10);
  CHECK(!known->known().trouble.empty());
  away.pass(140);
  CHECK(!known->known().trouble.empty());
  CHECK(known->known().status);
  CHECK(away.age(*known) > 100);
  away.pass(120);
  CHECK(known->known().trouble.empty());
  CHECK(away.age(*known) < 25);
}

TEST_CASE("pods without listeners are let go, and their watch with them") {
  FleetLoop t(pods(R"("count": 2)"));
  const auto topic = job(t);
  {
    Ear ear;
    topic->listen(ear);
    t.pass(10);
  }
  t.pass(330);
  const std::uint64_t asked = t.asked("pods.list") + t.asked("pods.watch");
  t.pass(1500);
  CHECK(t.asked("pods.list") + t.asked("pods.watch") == asked);
  Ear ear;
  topic->listen(ear);
  t.pass(1);
  CHECK(t.age(*topic) <= 1);
  t.fleet->close();
  t.pass(1);
  CHECK(!t.time->next_alarm().has_value());
}

TEST_CASE("a cluster that did not fit into memory is reported once others are forgotten") {
  FleetLoop t(R"({"kubernetes": {"namespace": "train", "managed_fields": false, "pods": [)"
              R"({"kind": "indexed_job", "name": "first", "count": 60}, {"kind": "indexed_job", "name": "second", "count": 50}]}})");
  const auto target = [](const std::string& name) {
    return value_of(Target::parse("kubernetes:train,job.worker=job-name=" + name + ",address=pod,api_server=https://127.0.0.1:6443"));
  };
  Ear ear;
  value_of(t.fleet->topic(target("first")))->listen(ear);
  t.pass(2);
  const std::size_t taken = t.fleet->memory_bytes();
  REQUIRE(taken > 0);
  impl_of(t.runtime).limits.max_memory_bytes = taken * 3 / 2;
  const auto small = fleet::make_fleet(t.runtime);
  Ear second;
  const auto late = [&] {
    Ear first;
    value_of(small->topic(target("first")))->listen(first);
    t.pass(2);
    auto topic = value_of(small->topic(target("second")));
    topic->listen(second);
    t.pass(60);
    CHECK_FALSE(topic->known().status);
    CHECK_THAT(topic->known().trouble, Catch::Contains("memory"));
    return topic;
  }();
  t.pass(2 * 3600);  // the first is forgotten an hour after its last listener
  REQUIRE(late->known().status);
  CHECK(late->known().status->members.size() == 50);
  CHECK(late->known().trouble.empty());
  small->close();
  t.poll();
}
