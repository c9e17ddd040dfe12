// Groups: content is rendered once a change for all clients with the same question, at a pace that depends on their number.
#include <catch2/catch.hpp>
#include <set>

#include "fleet/entry/view_group.hpp"
#include "fleet/http/scripted_fleet.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;
using fleet::GroupListener;
using fleet::SentState;
using fleet::ViewGroup;

namespace {

// A group with many followers, which read new events when they are woken, as streams do.
class Crowd {
 public:
  Crowd(ServiceLoop& loop, fleet::View view, std::size_t size) {
    fleet::FleetQuestion question;
    question.view = view;
    group = std::make_shared<ViewGroup>(shared_impl_of(loop.runtime), loop.topic, question);
    sent.resize(size);
    for (std::size_t i = 0; i < size; ++i) listeners.push_back(std::make_unique<GroupListener>(group));
    group->request();
    loop.poll();
  }
  /// Sends the present event to all followers; counts distinct buffers.
  std::set<const std::string*> send_all(std::string_view self = {}) {
    std::set<const std::string*> bytes;
    for (SentState& one : sent) {
      while (auto event = group->next_event(one, self, true)) {
        bytes.insert(event->bytes.get());
        kept.push_back(event->bytes);
      }
    }
    return bytes;
  }
  std::shared_ptr<ViewGroup> group;
  std::vector<SentState> sent;
  std::vector<std::unique_ptr<GroupListener>> listeners;
  std::vector<fleet::SharedText> kept;  // so that no address is used again
};

}  // namespace

TEST_CASE("Ten thousand clients get the same bytes, rendered once a change", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(40, 1));
  Crowd crowd(loop, fleet::View::status, 10'000);
  CHECK(crowd.send_all().size() == 1);
  CHECK(crowd.group->renderings() == 2);  // the answer, and the bytes of one event
  for (int ready = 2; ready <= 10; ++ready) {
    loop.pass(1s);
    loop.topic->show(workers_of(40, ready));
    loop.poll();
    CHECK(crowd.send_all().size() == 1);
  }
  CHECK(crowd.group->renderings() == 2 + 9 * 2);
  CHECK_THAT(*crowd.kept.back(), Contains("event: members"));
  CHECK(loop.topic->differences_asked == 9);
  loop.pass(1s);
  loop.topic->show(workers_of(80, 0));  // too many differences
  loop.poll();
  CHECK(crowd.send_all().size() == 1);
  CHECK(loop.topic->differences_asked == 10);
  CHECK_THAT(*crowd.kept.back(), Contains("event: status"));
  for (int i = 0; i < 100; ++i) loop.topic->poll();
  loop.pass(10s);
  CHECK(crowd.send_all().empty());
  CHECK(crowd.group->renderings() == 2 + 10 * 2);
}

TEST_CASE("A change is sent at once if the group was quiet, and the next ones together after a pause", "[fleet]") {
  const auto pause_of = [](std::size_t followers, int members) {
    ServiceLoop loop;
    loop.topic->show(workers_of(members, 1));
    Crowd crowd(loop, fleet::View::status, followers);
    crowd.send_all();
    loop.pass(60s);
    const std::uint64_t before = crowd.group->renderings();
    loop.topic->show(workers_of(members, members));
    loop.poll();
    crowd.send_all();
    CHECK(crowd.group->renderings() > before);
    const SteadyTime sent = loop.time->now();
    for (int i = 2; i < 12; ++i) loop.topic->show(workers_of(members, i % members));
    loop.poll();
    CHECK_FALSE(crowd.group->is_current());
    CHECK(crowd.send_all().empty());
    while (!crowd.group->is_current()) {
      loop.time->advance_to(loop.time->next_alarm().value());
      loop.poll();
    }
    CHECK(crowd.send_all().size() == 1);  // not lost, and sent once
    CHECK(crowd.sent.front().position == loop.topic->known().revision);
    return std::chrono::round<std::chrono::milliseconds>(loop.time->now() - sent);
  };
  CHECK(pause_of(1, 4) == 200ms);
  CHECK(pause_of(3000, 4) == 200ms);
  CHECK(pause_of(10'000, 4) == 550ms);
  const auto large = pause_of(20'000, 80);  // 80 members are 12 kB
  CHECK(large > 1100ms);
  CHECK(large < 2000ms);
}

TEST_CASE("Only the age is rendered again, when it is half a second old", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(4, 1));
  Crowd crowd(loop, fleet::View::progress, 3);
  const auto age_for = [&](std::size_t i) {
    const auto event = crowd.group->next_event(crowd.sent[i], {}, true);
    REQUIRE(event);
    return *event->bytes;
  };
  const std::string first = age_for(0);
  CHECK_THAT(first, Contains("\"age_ms\":0}"));
  loop.pass(500ms);
  CHECK(age_for(1) == first);
  loop.pass(1ms);
  CHECK_THAT(age_for(2), Contains("\"age_ms\":501}"));
  CHECK(crowd.group->renderings() == 3);
}

TEST_CASE("Each of ten thousand clients gets its own task, by one index of all of them", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(10'000, 10'000));
  Crowd crowd(loop, fleet::View::task, 10'000);
  loop.pass(10s);
  REQUIRE(crowd.group->made()->tasks);
  for (int i = 0; i < 10'000; ++i) {
    const std::string self = fmt::format("10.0.{}.{}", (i + 1) / 256, (i + 1) % 256);
    const auto event = crowd.group->next_event(crowd.sent[static_cast<std::size_t>(i)], self, true);
    REQUIRE(event);
    if (event->bytes->find(fmt::format(R"("task":{{"job":"worker","index":{},)", i)) == std::string::npos) FAIL(*event->bytes);
  }
  CHECK(crowd.group->renderings() == 2);
}

TEST_CASE("A listener that goes while the others are woken is no harm, and an idle group makes nothing", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(4, 1));
  Crowd crowd(loop, fleet::View::progress, 5000);
  crowd.send_all();
  loop.pass(1s);
  loop.topic->show(workers_of(4, 2));
  loop.io.restart();
  for (int steps = 0; steps < 4; ++steps) loop.io.poll_one();
  for (std::size_t i = 0; i < crowd.listeners.size(); i += 2) crowd.listeners[i].reset();
  loop.pass(1s);
  CHECK(crowd.group->listeners() == 2500);
  CHECK(loop.topic->listeners() == 2500);
  CHECK(crowd.send_all().size() == 1);
  crowd.listeners.clear();
  CHECK(loop.topic->listeners() == 0);
  const std::uint64_t before = crowd.group->renderings();
  loop.topic->show(workers_of(4, 3));
  loop.pass(5s);
  CHECK(crowd.group->renderings() == before);
}

TEST_CASE("Questions with the same answer are one group", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(400, 400));
  const ExchangePtr one = loop.get("?members=3");
  const ExchangePtr other = loop.get("?until=state&self=10.0.0.1&wait=3");
  CHECK(one->shared_body == other->shared_body);
  const ExchangePtr progress = loop.get("?view=progress&members=3");
  const ExchangePtr more = loop.get("?view=progress&members=500");
  CHECK(progress->answered.body != more->answered.body);
}

TEST_CASE("Ten thousand streams: all hear of each change, and leave nothing behind", "[long][fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(4, 1));
  std::vector<ExchangePtr> streams;
  for (int i = 0; i < 10'000; ++i) streams.push_back(loop.follow("?view=task&self=10.0.0.2"));
  CHECK(loop.topic->listeners() == 10'000);
  CHECK(streams.back()->retry == 20s);  // 500 a second reconnect
  loop.topic->show(workers_of(4, 4));
  loop.pass(2s);
  for (const ExchangePtr& stream : streams) {
    REQUIRE(stream->types() == "beat progress ready");
    REQUIRE(stream->last().data == streams.front()->last().data);
  }
  loop.pass(30s);
  for (const ExchangePtr& stream : streams) stream->leave();
  loop.poll();
  CHECK(loop.followers() == 0);
  CHECK(loop.topic->listeners() == 0);
}

TEST_CASE("GET does not wait for a large cluster to stand still", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(3000, 1));
  for (const char* const query : {"?view=progress", "?view=status"}) {
    INFO(query);
    const SteadyTime asked = loop.time->now();
    const auto exchange = std::make_shared<ScriptedExchange>();
    exchange->time = loop.time;
    exchange->asked.method = "GET";
    exchange->asked.target = std::string(ServiceLoop::trainer) + query;
    exchange->asked.host = "127.0.0.1";
    asio::co_spawn(loop.io, loop.handler(*exchange), [exchange](std::exception_ptr) { exchange->is_done = true; });
    // The topic changes again and again while the answer is rendered.
    for (int i = 2; i < 120 && !exchange->is_done; ++i) {
      loop.io.restart();
      for (int turn = 0; turn < 2; ++turn) loop.io.poll_one();
      loop.topic->show(workers_of(3000, i));
      loop.time->advance(100ms);
    }
    CHECK(exchange->is_done);
    CHECK(exchange->answered.status == 200);
    CHECK(loop.time->now() - asked < 8s);
  }
}

TEST_CASE("A group without listeners is dropped after a minute, even if no other question comes", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(4, 1));
  const long owners = loop.topic.use_count();
  loop.get("?view=progress");
  loop.get("?view=status");
  const ExchangePtr stream = loop.follow("?view=task");
  CHECK(loop.topic.use_count() >= owners + 3);
  loop.pass(30s);
  loop.get("?view=progress");
  loop.pass(35s);
  CHECK(loop.topic.use_count() >= owners + 2);  // the first group was used half a minute ago
  loop.pass(120s);
  const long of_stream = loop.topic.use_count();
  CHECK(of_stream == owners + 1);
  CHECK_FALSE(stream->is_done);
  stream->leave();
  loop.pass(121s);
  CHECK(loop.topic.use_count() == owners);
  CHECK_FALSE(loop.time->next_alarm());  // no timer without groups
}

TEST_CASE("A service that stops waits for no timer of its groups", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(4, 1));
  loop.get("?view=progress");
  CHECK(loop.time->next_alarm());
  loop.service.close();
  CHECK_FALSE(loop.time->next_alarm());
  loop.get("?view=status");
  CHECK_FALSE(loop.time->next_alarm());
}
