// The store's records: what is written is read back, and what makes no sense is none.
#include "fleet/replicas/wire/records.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace rollcall::fleet;
using namespace std::chrono_literals;

namespace {

const ParseLimits record_limits;

HeadRecord example_head() {
  HeadRecord head;
  head.target = "tpu:trainer,project=p,zone=z";
  head.source = "tpu/p/z";
  head.epoch = 182'700;
  head.is_followed = true;
  head.generation = 4;
  head.revision = 182'734;
  head.spec_revision = 12;
  head.has_spec = true;
  head.is_spec_old = true;
  head.spec_age = 9s;
  head.spec_generation = 3;
  head.based_on = 182'700;
  head.age = 40ms;
  head.members = 300;
  head.trouble = "503 of tpu.googleapis.com";
  ClusterStatus& status = head.status.emplace();
  status.phase = ClusterPhase::provisioning;
  status.state = Condition(MemberState::waiting, "CREATING");
  status.jobs = {"worker"};
  status.expected = 300;
  status.accelerator_type = "v4-32";
  status.notices.emplace_back(NoticeKind::preemption, "TPU 'trainer'", "soon");
  head.failure = Failure(Errc::not_found, "there is no such node").with_hint("look at its name");
  PhaseRecord& change = head.history.emplace_back();
  change.at_ms = 1'700'000'000'123;
  change.phase = ClusterPhase::queued;
  change.state = "ACCEPTED";
  change.ready = 1;
  change.total = 300;
  return head;
}

}  // namespace

TEST_CASE("The head of a status is read as it was written") {
  const HeadRecord written = example_head();
  const HeadRecord read = value_of(parse_head(render_head(written), record_limits));
  CHECK(read.target == written.target);
  CHECK(read.source == written.source);
  CHECK(read.epoch == written.epoch);
  CHECK(read.is_followed);
  CHECK(read.generation == 4);
  CHECK(read.revision == written.revision);
  CHECK(read.spec_revision == 12);
  CHECK(read.has_spec);
  CHECK(read.is_spec_old);
  CHECK(read.spec_age == written.spec_age);
  CHECK(read.spec_generation == 3);
  CHECK(read.based_on == written.based_on);
  CHECK(read.age == written.age);
  CHECK(read.members == 300);
  CHECK(read.trouble == written.trouble);
  REQUIRE(read.status);
  CHECK(*read.status == *written.status);
  REQUIRE(read.failure);
  CHECK(read.failure->code() == Errc::not_found);
  CHECK(read.failure->hint() == "look at its name");
  REQUIRE(read.history.size() == 1);
  CHECK(read.history[0].at_ms == 1'700'000'000'123);
  CHECK(read.history[0].phase == ClusterPhase::queued);
  CHECK(read.history[0].state == "ACCEPTED");
  CHECK(read.history[0].total == 300);
}

TEST_CASE("A head without an age, a status, a failure has none") {
  HeadRecord head;
  head.target = "dns:a.example";
  const HeadRecord read = value_of(parse_head(render_head(head), record_limits));
  CHECK_FALSE(read.age);
  CHECK_FALSE(read.status);
  CHECK_FALSE(read.failure);
  CHECK_FALSE(read.has_spec);
  CHECK_FALSE(read.is_followed);
}

TEST_CASE("What makes no sense is no head") {
  const auto is_refused = [](std::string_view json) { return parse_head(json, record_limits).has_error(); };
  CHECK(is_refused(""));
  CHECK(is_refused("{}"));
  CHECK(is_refused("[1]"));
  CHECK(is_refused(R"({"target":"a","epoch":-1})"));
  CHECK(is_refused(R"({"target":"a","members":-1})"));
  CHECK(is_refused(R"({"target":"a","members":99999999})"));
  CHECK(is_refused(R"({"target":"a","history":[{"phase":"over"}]})"));
  CHECK(is_refused(R"({"target":"a","history":[{"at_ms":9223372036854775807}]})"));
  CHECK(is_refused(R"({"target":"a","status":{"position":"0.0","generation":0,"status":{"phase":"running","members":[{"job":"w"}]}}})"));
  CHECK(is_refused(R"({"target":"a","failure":{"code":"cancelled"}})"));
  CHECK(is_refused(std::string(100, '{')));
  std::string history;
  for (int i = 0; i < 64; ++i) history += R"({"at_ms":1},)";
  CHECK(is_refused(R"({"target":"a","history":[)" + history + R"({"at_ms":1}]})"));
  CHECK(is_gone_record(render_gone_record()));
  CHECK_FALSE(is_gone_record("{}"));
}

TEST_CASE("Members of a chunk are read in their order, and no more than a chunk holds") {
  std::vector<Member> members;
  for (int i = 0; i < 300; ++i) {
    Member& member = members.emplace_back(i < 150 ? "worker" : "ps", i < 150 ? i : i - 150);
    member.address = fmt::format("10.0.{}.{}:8470", i / 256, i % 256);
    member.uid = fmt::format("u{}", i);
    member.health = Condition(MemberState::waiting, "UNHEALTHY");
  }
  const std::vector<Member> read = value_of(parse_chunk(render_chunk(members, 100, 300), record_limits));
  CHECK(read == std::vector<Member>(members.begin() + 100, members.end()));
  CHECK(parse_chunk(render_chunk(members, 0, 300), record_limits).has_error());
  CHECK(parse_chunk("{}", record_limits).has_error());
}

TEST_CASE("A spec, or why there is none, is read as it was written") {
  ClusterSpec spec;
  spec.set_job("worker", std::vector<std::string>{"10.0.0.1:8470", "10.0.0.2:8470"});
  const auto read = value_of(parse_spec_record(render_spec_record(Result<ClusterSpec>(spec)), record_limits));
  REQUIRE(read->has_value());
  CHECK(**read == spec);
  const Failure why(Errc::permission_denied, "may not");
  const auto none = value_of(parse_spec_record(render_spec_record(Result<ClusterSpec>(why)), record_limits));
  REQUIRE(none->has_error());
  CHECK(none->error().code() == Errc::permission_denied);
  CHECK(parse_spec_record("{}", record_limits).has_error());
  CHECK(parse_spec_record(R"({"failure":{}})", record_limits).has_error());
}

TEST_CASE("The small records are read as they were written") {
  MetaRecord meta;
  meta.instance = "5e1f";
  meta.min_schema = 2;
  const MetaRecord read_meta = value_of(parse_meta(render_meta(meta), record_limits));
  CHECK(read_meta.instance == "5e1f");
  CHECK(read_meta.min_schema == 2);
  CHECK(parse_meta(R"({"instance":"a.b"})", record_limits).has_error());
  CHECK(parse_meta("{}", record_limits).has_error());

  ReplicaRecord replica;
  replica.url = "https://a:7070";
  replica.beat = 812;
  replica.is_leaving = true;
  replica.unable = {"s1", "s2"};
  const ReplicaRecord read_replica = value_of(parse_replica(render_replica(replica), record_limits));
  CHECK(read_replica.url == replica.url);
  CHECK(read_replica.beat == 812);
  CHECK(read_replica.is_leaving);
  CHECK(read_replica.unable == replica.unable);
  CHECK(parse_replica(R"({"schema":0})", record_limits).has_error());

  WantRecord want;
  want.target = "tpu:a,project=p,zone=z";
  want.wants_spec = true;
  want.wish = 7;
  CHECK(value_of(parse_want(render_want(want), record_limits)) == want);
  CHECK(parse_want("{}", record_limits).has_error());

  OwnerRecord owner;
  owner.replica = "a1";
  owner.source = "tpu/p/z";
  CHECK(value_of(parse_owner(render_owner(owner), record_limits)).source == "tpu/p/z");
  CHECK(parse_owner("{}", record_limits).has_error());

  BeatRecord beat;
  beat.epoch = 9;
  beat.age = 40ms;
  beat.targets = 3;
  beat.trouble = "429";
  beat.older.emplace_back("t1", Age(31s));
  beat.older.emplace_back("t2", std::nullopt);
  const BeatRecord read_beat = value_of(parse_beat(render_beat(beat), record_limits));
  CHECK(read_beat.epoch == 9);
  CHECK(read_beat.age == 40ms);
  CHECK(read_beat.trouble == "429");
  CHECK(read_beat.older == beat.older);
  CHECK(parse_beat(R"({"epoch":1})", record_limits).has_error());
  CHECK(parse_beat(R"({"epoch":1,"age_ms":-5})", record_limits).has_error());
}
