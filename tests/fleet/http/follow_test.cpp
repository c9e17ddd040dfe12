// Streams of the service: the order of events, their ids and ages.
#include <catch2/catch.hpp>

#include "fleet/http/scripted_fleet.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

TEST_CASE("A stream begins with retry, a beat and the state, and goes on with what differs", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(3, 1));
  loop.pass(310ms);
  const ExchangePtr stream = loop.follow("");
  CHECK(stream->is_streamed);
  CHECK(header_of(stream, "Content-Type") == "text/event-stream");
  CHECK(stream->written.starts_with("retry: 1000\n"));
  CHECK(stream->types() == "beat status");
  CHECK(stream->events[0].id == "51.0");
  CHECK(stream->events[0].data == R"({"age_ms":310,"fallback":{"after_s":60,"spread_s":1800,"poll_s":1800}})");
  CHECK(stream->events[1].id == "51.1");
  const auto whole = value_of(fleet::parse_status_body(stream->events[1].data, ParseLimits()));
  CHECK(whole.status == workers_of(3, 1));
  CHECK(whole.age == 310ms);
  loop.pass(1s);
  loop.topic->show(workers_of(3, 2));
  loop.poll();
  CHECK(stream->types() == "beat status members");
  CHECK(stream->last().id == "51.2");
  const auto delta = value_of(fleet::parse_members_event(stream->last().data, ParseLimits()));
  CHECK(delta.delta.changed.size() == 1);
  CHECK(delta.generation == 2);
  ClusterStatus now = whole.status;
  fleet::apply_delta(now, delta.delta);
  CHECK(now == workers_of(3, 2));
  CHECK(loop.followers() == 1);
  stream->leave();
  loop.poll();
  CHECK(stream->is_done);
  CHECK(loop.topic->listeners() == 0);
  CHECK(loop.followers() == 0);
}

TEST_CASE("Heartbeats come after ten seconds without another event, and carry the age of the last poll", "[fleet]") {
  ServiceLoop loop;
  const ExchangePtr stream = loop.follow("?view=progress");
  CHECK(stream->types() == "beat");
  loop.pass(60s);
  CHECK(stream->events.size() >= 5);
  CHECK(stream->events.size() <= 9);
  for (std::size_t i = 1; i < stream->events.size(); ++i) {
    CHECK(stream->events[i].type == "beat");
    CHECK(stream->at[i] - stream->at[i - 1] >= 8s);
    CHECK(stream->at[i] - stream->at[i - 1] <= 12s);
  }
  loop.topic->show(workers_of(2, 1));
  loop.poll();
  CHECK(stream->last().type == "progress");
  const SteadyTime sent = loop.time->now();
  loop.pass(5s);
  loop.topic->poll();
  const SteadyTime polled = loop.time->now();
  loop.pass(8s);
  CHECK(stream->last().type == "beat");
  CHECK(stream->at.back() - sent >= 8s);
  CHECK(stream->last().id == "51.1");
  const auto heartbeat = value_of(fleet::parse_heartbeat_event(stream->last().data, ParseLimits()));
  CHECK(heartbeat.age == std::chrono::ceil<std::chrono::milliseconds>(stream->at.back() - polled));
}

TEST_CASE("progress, ready and task", "[fleet]") {
  ServiceLoop loop;
  const ExchangePtr progress = loop.follow("?view=progress");
  const ExchangePtr task = loop.follow("?view=task&self=10.0.0.2");
  const ExchangePtr nobody = loop.follow("?view=task");
  CHECK_FALSE(loop.topic->is_spec_wanted());
  loop.topic->show(workers_of(2, 1));
  loop.poll();
  CHECK(progress->types() == "beat progress");
  CHECK_THAT(task->last().data, Contains("worker 1: CREATING") && !Contains("\"tasks\""));
  loop.pass(1s);
  loop.topic->show(workers_of(2, 2));
  loop.poll();
  CHECK(progress->types() == "beat progress ready");
  CHECK(task->types() == "beat progress ready");
  CHECK_THAT(task->last().data, Contains(R"("tasks":2,"first":"10.0.0.1:8470","age_ms":0,"task":{"job":"worker","index":1,)"));
  CHECK_THAT(nobody->last().data, Contains("\"tasks\":2") && !Contains("\"task\":"));
  CHECK_THAT(progress->last().data, !Contains("tasks"));
  loop.pass(1s);
  loop.topic->show(workers_of(2, 1));
  loop.poll();
  CHECK(task->types() == "beat progress ready progress");
}

TEST_CASE("What is too large for an event is fetched", "[fleet]") {
  ServiceLoop loop;
  const ExchangePtr stream = loop.follow("");
  const ExchangePtr spec = loop.follow("?view=spec");
  loop.topic->show(workers_of(100, 0));
  loop.topic->show_spec(workers_of(2, 2).spec());
  loop.poll();
  CHECK(stream->types() == "beat status");
  CHECK(spec->types() == "beat spec");
  CHECK_THAT(spec->last().data, Contains(R"("cluster":{"worker":["10.0.0.1:8470","10.0.0.2:8470"]},"failures":[],"age_ms":0)"));
  loop.pass(1s);
  loop.topic->show(workers_of(100, 40));  // more than 32 differ: the whole content is sent
  loop.poll();
  CHECK(stream->types() == "beat status status");
  loop.pass(1s);
  loop.topic->show(workers_of(800, 800));
  loop.topic->show_spec(workers_of(2000, 2000).spec());
  loop.poll();
  CHECK(stream->types() == "beat status status sync");
  CHECK(spec->last().type == "sync");
  CHECK(stream->last().data == R"({"etag":"51.4","generation":3,"age_ms":0})");
  CHECK(header_of(loop.get(""), "ETag") == "\"51.4\"");
  loop.pass(1s);
  ClusterStatus next = workers_of(800, 800);
  next.members[7].state = Condition(MemberState::lost, "PREEMPTED");
  loop.topic->show(next);
  loop.poll();
  CHECK(stream->types() == "beat status status sync members");
  for (const auto& event : stream->events) CHECK(event.data.size() <= 16 * 1024);
}

TEST_CASE("A client that has fetched a body and missed a step fetches again: a change and its reversal are no difference", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2000, 2000));
  const ExchangePtr slow = loop.follow("");
  const ExchangePtr quick = loop.follow("");
  CHECK(slow->types() == "beat sync");
  slow->stick(true);
  ClusterStatus other = workers_of(2000, 2000);
  other.members[7].state = Condition(MemberState::waiting, "REPAIRING");
  loop.pass(1s);
  loop.topic->show(other);
  loop.pass(1s);
  CHECK_THAT(loop.get("")->answered.body, Contains("REPAIRING"));
  loop.topic->show(workers_of(2000, 2000));
  loop.pass(1s);
  slow->stick(false);
  loop.poll();
  CHECK(slow->types() == "beat sync sync");
  CHECK(quick->types() == "beat sync members members");
  loop.topic->show(other);
  loop.pass(1s);
  CHECK(slow->types() == "beat sync sync members");
}

TEST_CASE("Trouble and its end are sent once each", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 2));
  const ExchangePtr stream = loop.follow("");
  loop.pass(3s);
  loop.topic->trouble("connection refused");
  loop.poll();
  CHECK(stream->types() == "beat status trouble");
  CHECK(stream->last().data == R"({"message":"connection refused","age_ms":3000})");
  CHECK(stream->last().id == "51.2");
  loop.pass(1s);
  const ExchangePtr second = loop.follow("");
  CHECK(second->types() == "beat status trouble");
  loop.topic->trouble("");
  loop.pass(1s);
  CHECK(stream->types() == "beat status trouble trouble");
  CHECK_THAT(stream->last().data, Contains("\"message\":\"\""));
  CHECK(loop.follow("")->types() == "beat status");
}

TEST_CASE("A permanent failure ends the stream, and comes from a recent poll", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 2));
  const ExchangePtr stream = loop.follow("");
  const ExchangePtr patient = loop.follow("?existence=awaited");
  loop.pass(1s);
  loop.topic->fail(Failure(Errc::not_found, "no TPU 'trainer'"));
  loop.poll();
  CHECK(stream->types() == "beat status final");
  CHECK(stream->is_stream_ended);
  CHECK(stream->is_done);
  CHECK_THAT(stream->last().data, Contains("\"code\":\"not_found\""));
  CHECK(patient->types() == "beat status status");
  CHECK_THAT(patient->last().data, Contains("no TPU 'trainer'") && Contains("\"members\":[]"));
  loop.pass(1s);
  ClusterStatus again = workers_of(2, 2);
  again.members[0].uid = "anew";
  loop.topic->show(again);
  loop.poll();
  CHECK(patient->types() == "beat status status status");  // no difference to the content before the deletion

  loop.pass(1s);
  loop.topic->fail(Failure(Errc::not_found, "gone"));
  loop.pass(20s);
  const ExchangePtr late = loop.follow("");
  CHECK(late->types() == "beat");
  CHECK(loop.topic->polls_asked == 1);
  loop.pass(1s);
  loop.topic->show(workers_of(2, 2));
  loop.poll();
  CHECK(late->types() == "beat status");
  loop.topic->fail(Failure(Errc::not_found, "gone"));
  loop.pass(20s);
  const ExchangePtr unheard = loop.follow("");
  loop.pass(7s);
  CHECK(unheard->types() == "beat");  // for any duration of the poll
  loop.topic->fail(Failure(Errc::not_found, "gone"));
  loop.poll();
  CHECK(unheard->types() == "beat final");
}

TEST_CASE("A client that comes back resumes at its position, or gets the whole content", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(3, 1));
  loop.topic->show(workers_of(3, 2));
  loop.topic->show(workers_of(3, 3));
  const auto back = [&loop](std::string id) { return loop.follow("", {"Last-Event-ID", std::move(id)}); };
  const ExchangePtr knows = back("51.3");
  CHECK(knows->types() == "beat trouble");
  CHECK(knows->events[0].id == "51.3");
  CHECK_THAT(knows->last().data, Contains("\"message\":\"\""));
  const ExchangePtr behind = back("51.1");
  CHECK(behind->types() == "beat members trouble");
  CHECK(behind->events[0].id == "51.1");  // its own position: a heartbeat must not make it skip changes
  CHECK(behind->events[1].id == "51.3");
  CHECK(value_of(fleet::parse_members_event(behind->events[1].data, ParseLimits())).delta.changed.size() == 2);
  for (const char* const id : {"51.0", "50.2", "51.02", "", "nonsense", "51.-1", "51.99999999999999999999"}) {
    INFO(id);
    CHECK(back(id)->types() == "beat status");
  }
  loop.topic->forget_statuses();
  loop.pass(1s);
  CHECK(back("51.1")->types() == "beat status trouble");
}

TEST_CASE("A server that stops moves its followers, spread over the time it has", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 2));
  std::vector<ExchangePtr> streams;
  for (int i = 0; i < 200; ++i) streams.push_back(loop.follow("?view=progress"));
  loop.service.close(20s);
  loop.pass(5s);
  const auto gone = std::count_if(streams.begin(), streams.end(), [](const ExchangePtr& one) { return one->is_done; });
  CHECK(gone > 20);
  CHECK(gone < 90);
  CHECK(loop.follow("")->answered.status == 503);
  loop.pass(15s);
  for (const ExchangePtr& stream : streams) {
    CHECK(stream->last().type == "moved");
    CHECK(stream->last().data == "{}");
    CHECK(stream->is_stream_ended);
  }
  CHECK(loop.followers() == 0);
}

TEST_CASE("A slow reader gets the latest only, with a true age", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(50, 0));
  const ExchangePtr slow = loop.follow("");
  const ExchangePtr quick = loop.follow("");
  slow->stick(true);
  for (int ready = 1; ready <= 20; ++ready) {
    loop.pass(1s);
    loop.topic->show(workers_of(50, ready));
  }
  loop.pass(7s);
  CHECK(quick->events.size() == 22);
  CHECK(slow->types() == "beat status");
  slow->stick(false);
  loop.poll();
  CHECK(slow->types() == "beat status members");
  const auto delta = value_of(fleet::parse_members_event(slow->last().data, ParseLimits()));
  CHECK(delta.delta.changed.size() == 20);
  CHECK(delta.age == 7s);
  CHECK(slow->last().id == quick->last().id);
}
