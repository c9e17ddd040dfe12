// What replicas of a service send each other.
#include "fleet/replicas/wire/replica_documents.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::fleet;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

TopicDocument full_topic() {
  TopicDocument document;
  document.topic = 7;
  document.sent_at = 12345ms;
  document.target = "tpu:a,project=p,zone=z";
  document.is_followed = true;
  document.known.revision = 9;
  document.known.spec_revision = 8;
  document.known.generation = 3;
  document.age = 310ms;
  document.known.trouble = "no answer";
  document.has_status = document.is_whole = true;
  document.parts = 2;
  document.accelerator_type = "v4-16";
  document.has_spec = document.known.is_spec_old = true;
  document.spec_age = 900ms;
  document.known.spec_generation = 2;
  ClusterSpec spec;
  spec.set_job("worker", std::vector<std::string>{"10.0.0.1:8470"});
  document.known.spec = std::make_shared<const Result<ClusterSpec>>(std::move(spec));
  document.known.failure = std::make_shared<const Failure>(Errc::not_found, "it is gone");
  document.has_history = true;
  PhaseChange& phase = document.history.emplace_back();
  phase.when = WallTime(1'700'000'000s);
  phase.phase = ClusterPhase::provisioning;
  phase.state = "CREATING";
  phase.total = 2;
  return document;
}

}  // namespace

TEST_CASE("a topic is read as it was written") {
  const TopicDocument sent = full_topic();
  const TopicDocument read = value_of(parse_topic(render_topic(sent), {}));
  CHECK((read.topic == 7 && read.sent_at == sent.sent_at && read.target == sent.target && read.is_followed));
  CHECK((read.known.revision == 9 && read.known.spec_revision == 8 && read.known.generation == 3 && read.age == sent.age));
  CHECK((read.known.trouble == sent.known.trouble && read.has_status && read.is_whole && read.parts == 2));
  CHECK(read.accelerator_type == "v4-16");
  CHECK((read.has_spec && read.known.is_spec_old && read.spec_age == sent.spec_age && read.known.spec_generation == 2));
  REQUIRE(read.known.spec);
  CHECK(**read.known.spec == **sent.known.spec);
  REQUIRE(read.known.failure);
  CHECK((read.known.failure->code() == Errc::not_found && read.known.failure->what() == "it is gone"));
  CHECK(read.history == sent.history);
}

TEST_CASE("a spec that failed is read as that, and what is absent is absent") {
  TopicDocument sent = full_topic();
  sent.known.spec = std::make_shared<const Result<ClusterSpec>>(Failure(Errc::permission_denied, "not allowed"));
  sent.known.failure = nullptr;
  sent.age = sent.spec_age = std::nullopt;
  const TopicDocument read = value_of(parse_topic(render_topic(sent), {}));
  REQUIRE(read.known.spec);
  CHECK(read.known.spec->error().code() == Errc::permission_denied);
  CHECK((!read.known.failure && !read.age && !read.spec_age));
}

TEST_CASE("the other documents are read as they were written") {
  HelloDocument hello;
  hello.epoch = 1'764'243'000;
  hello.replica = "a";
  CHECK(value_of(parse_hello(render_hello(hello), {})).epoch == hello.epoch);
  LookedDocument looked;
  looked.sent_at = 5ms;
  looked.age = 7ms;
  looked.topics = {1, 18'446'744'073'709'551'615ULL, 3};
  const LookedDocument read = value_of(parse_looked(render_looked(looked), {}));
  CHECK((read.sent_at == 5ms && read.age == 7ms && read.topics == looked.topics));
  LookedDocument gone;
  gone.topics = {4};
  CHECK(value_of(parse_gone(render_gone(gone), {})).topics == gone.topics);
  ReachedDocument reached;
  reached.sent_at = 9ms;
  reached.heartbeat.fallback_schedule.poll = 77s;
  const ReachedDocument reached_again = value_of(parse_reached(render_reached(reached), {}));
  CHECK((reached_again.sent_at == 9ms && reached_again.heartbeat.fallback_schedule == reached.heartbeat.fallback_schedule));
  StatusDelta part;
  part.changed.emplace_back("worker", 1);
  part.gone.emplace_back("worker", 2);
  const PartDocument parted = value_of(parse_part(render_part(7, 3, part), {}));
  CHECK((parted.topic == 7 && parted.members.generation == 3 && parted.members.delta == part));
  WantedDocument wanted;
  wanted.replica = "b";
  wanted.version = 4;
  WantedTarget& target = wanted.targets.emplace_back();
  target.target = "tpu:a,project=p,zone=z";
  target.wants_spec = true;
  target.followers = 12;
  target.asked = 2;
  const WantedDocument heard = value_of(parse_wanted(render_wanted(wanted), {}));
  CHECK((heard.replica == "b" && heard.version == 4 && heard.targets == wanted.targets));
}

TEST_CASE("documents of a later schema, and those that are none, are refused") {
  check_failure(parse_hello(R"({"schema":2,"epoch":1})", {}), Errc::failed_precondition, "schema 2", "1 to 1");
  check_failure(parse_hello(R"({"schema":0,"epoch":1})", {}), Errc::failed_precondition, "schema 0");
  check_failure(parse_hello(R"({"schema":1})", {}), Errc::malformed_response, "epoch");
  check_failure(parse_wanted(R"({"schema":7,"replica":"a","version":1,"targets":[]})", {}), Errc::failed_precondition, "schema 7");
  check_failure(parse_wanted(R"({"schema":1,"version":1,"targets":[]})", {}), Errc::malformed_response, "replica");
  check_failure(parse_topic(R"({"topic":1,"at_ms":-1,"target":"x","revision":1})", {}), Errc::malformed_response, "at_ms");
  check_failure(parse_topic(R"({"topic":1,"at_ms":1,"target":"x","revision":1,"whole":2})", {}), Errc::malformed_response, "whole");
  check_failure(parse_looked(R"({"at_ms":1,"age_ms":1,"topics":"1,,2"})", {}), Errc::malformed_response, "topics");
  check_failure(parse_part(R"({"topic":1})", {}), Errc::malformed_response, "part is missing");
  check_failure(parse_reached(R"({"at_ms":1})", {}), Errc::malformed_response, "heartbeat.fallback is missing");
}

// Replicas of neighbouring versions read each other: a change of these bytes is a change of the schema.
TEST_CASE("the bytes of schema 1 stay as they are") {
  CHECK(render_topic(full_topic()) ==
        R"({"topic":7,"at_ms":12345,"target":"tpu:a,project=p,zone=z","followed":1,"revision":9,"spec_revision":8,"genera)"
        R"(tion":3,"age_ms":310,"trouble":"no answer","has_status":1,"whole":1,"parts":2,"type":"v4-16","has_spec":1,"spe)"
        R"(c_old":1,"spec_age_ms":900,"spec_generation":2,"has_history":1,"history":[{"at_ms":1700000000000,"phase":"prov)"
        R"(isioning","state":"CREATING","ready":0,"total":2}],"failure":{"target":"tpu:a,project=p,zone=z","code":"not_fo)"
        R"(und","message":"it is gone","hint":"","asked":"","phase":"none","attempts":0,"http_status":0,"elapsed_ms":0},")"
        R"(spec":{"generation":2,"cluster":{"worker":["10.0.0.1:8470"]},"failures":[]}})");
  CHECK(render_hello(HelloDocument(1, 5, "a")) == R"({"schema":1,"epoch":5,"replica":"a"})");
  LookedDocument looked;
  looked.sent_at = 5ms;
  looked.age = 7ms;
  looked.topics = {1, 3};
  CHECK(render_looked(looked) == R"({"at_ms":5,"age_ms":7,"topics":"1,3"})");
  CHECK(render_gone(looked) == R"({"topics":"1,3"})");
  ReachedDocument reached;
  reached.sent_at = 9ms;
  reached.leads_since = WallTime(1'700'000'000'123ms);
  reached.views.resize(2);
  reached.views[0].replica = "b";
  reached.views[0].view_age = 420ms;
  reached.views[1].replica = "c";
  reached.heartbeat.fallback_schedule.poll = 77s;
  CHECK(render_reached(reached) ==
        R"({"at_ms":9,"since_ms":1700000000123,"views":[{"replica":"b","age_ms":420},{"replica":"c"}],"heartbeat":{"fallb)"
        R"(ack":{"after_s":60,"spread_s":1800,"poll_s":77}}})");
  WantedDocument wanted;
  wanted.replica = "b";
  wanted.version = 4;
  wanted.view_age = 420ms;
  wanted.targets.resize(1);
  wanted.targets[0].target = "t";
  wanted.targets[0].followers = 12;
  CHECK(render_wanted(wanted) ==
        R"({"schema":1,"replica":"b","version":4,"same":0,"view_age_ms":420,"targets":[{"target":"t","spec":0,"followers")"
        R"(:12,"asked":0}]})");
}
