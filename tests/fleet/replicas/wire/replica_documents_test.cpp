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
