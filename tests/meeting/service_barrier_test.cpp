// A barrier whose roll a service keeps: its tasks do not reach each other.
#include <catch2/catch.hpp>

#include "fleet/http/scripted_fleet.hpp"
#include "meeting/meeting_story.hpp"
#include "meeting/wire/meeting_documents.hpp"
#include "support/sanitizers.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Matchers::Contains;

namespace {

using namespace std::chrono_literals;

constexpr auto server_name = "s900";

// Tasks, each of which reaches the service alone.
class ServiceStory : public MeetingStory {
 public:
  explicit ServiceStory(std::size_t tasks, unsigned seed = 1) : MeetingStory(tasks, seed) {
    for (std::size_t a = 0; a < tasks; ++a) {
      for (std::size_t b = 0; b < a; ++b) cut(a, b);
    }
    servers.urls = {std::string("https://") + server_name};
    RuntimeOptions options;
    options.time = time;
    options.environment = fixed_environment({});
    options.server = ServerOptions();
    service_runtime_ = std::make_shared<Runtime>(io.get_executor(), std::move(options));
    begin_service();
  }
  ~ServiceStory() { serve(server_name, nullptr); }

  /// A new service, which knows nothing.
  void begin_service(const std::string& name = server_name) {
    fleet::FleetHttpOptions options;
    options.is_for_this_machine = false;
    const auto clouds = std::make_shared<ScriptedFleet>(*service_runtime_, time);
    const auto service = std::make_shared<fleet::FleetHttp>(clouds, options);
    serve(name, service->handler());
  }

 private:
  std::shared_ptr<Runtime> service_runtime_;
};

TEST_CASE("tasks that cannot reach each other start together by a service") {
  ServiceStory story(7);
  for (std::size_t i = 0; i < 6; ++i) story.join(i, 5min, {}, i == 3 ? 4 : 1);
  story.pass(20s);
  CHECK(story.started() == 0);
  CHECK_THAT(story.last_line(1), Contains("6/7 here · worker:6: not heard from"));
  story.join(6);
  story.pass(std::chrono::milliseconds(200));
  for (std::size_t i = 0; i < 7; ++i) CHECK(story.generation(i) == 4);
}

TEST_CASE("a service lets tasks meet again, as the same process or another") {
  ServiceStory story(3);
  for (std::size_t i = 0; i < 3; ++i) story.join(i);
  story.pass(1s);
  REQUIRE(story.started() == 3);
  const std::int64_t next = GENERATE(1, 2);  // another process counts from 1
  story.join(1, 5min, {}, next);
  story.pass(40s);
  CHECK(story.member(1).is_there());
  CHECK_THAT(story.last_line(1), Contains("1/3 here"));
  story.join(0, 5min, {}, 2);
  story.join(2, 5min, {}, 2);
  story.pass(1s);
  for (std::size_t i = 0; i < 3; ++i) CHECK(story.generation(i) == 2);
}

TEST_CASE("a service shows what a task does before it comes") {
  ServiceStory story(4);
  story.stages = {StageSpan("sync", 40s, true)};
  for (std::size_t i = 0; i < 3; ++i) story.join(i);
  std::optional<StageReporter> reporter;
  for (int seconds = 0; seconds < 190; ++seconds) {
    REQUIRE(story.say(3, {StageSpan("sync", std::chrono::seconds(seconds))}, reporter).has_value());
    story.pass(1s);
  }
  // Time alone is news every 30 s.
  CHECK_THAT(story.last_line(1), Contains("3/4 here · worker:3: `sync` for 3 min ") && Contains("(others took 40.0 s)"));
  CHECK(story.member(1).shown.size() < 12);
  CHECK(story.started() == 0);
  REQUIRE(story.say(3, {StageSpan("sync", 191s, true, 2)}, reporter).has_value());
  story.pass(2s);
  CHECK_THAT(story.last_line(1), Contains("worker:3: `sync` has failed with exit status 2"));
  REQUIRE(story.say(3, {StageSpan("sync", 191s, true)}, reporter).has_value());
  story.pass(2s);
  CHECK_THAT(story.last_line(1), Contains("worker:3: has ended `sync`, and has not come to the barrier"));
  REQUIRE(story.say(3, {StageSpan("sync", 191s, true), StageSpan("data", 1s)}, reporter).has_value());
  story.pass(2s);
  CHECK_THAT(story.last_line(1), Contains("worker:3: `data` for 1.0 s") && !Contains("others"));
  story.pass(20s);
  CHECK_THAT(story.last_line(1), Contains("worker:3: was at `data`, and is not heard from any more"));
  story.join(3);
  story.pass(1s);
  CHECK(story.started() == 4);
  // What a task does then is before the next start.
  REQUIRE(story.say(3, {StageSpan("data", 1s)}, reporter).has_value());
  story.join(0, 5min, {}, 2);
  story.pass(2s);
  CHECK_THAT(story.last_line(0), Contains("1/4 here") && Contains("worker:3: `data` for "));
}

TEST_CASE("at the deadline the late task is named with its stage") {
  ServiceStory story(2);
  story.join(0, 10s);
  std::optional<StageReporter> reporter;
  for (int i = 0; i < 12; ++i) {
    REQUIRE(story.say(1, {StageSpan("sync", std::chrono::seconds(60 + i))}, reporter).has_value());
    story.pass(1s);
  }
  REQUIRE(story.member(0).call->done());
  const Failure& failure = story.member(0).call->value().error();
  CHECK(failure.code() == Errc::deadline_exceeded);
  CHECK_THAT(failure.what(), Contains("1/2 here · worker:1: `sync` for 1 min "));
}

TEST_CASE("a stage is not said without a name, nor without a service") {
  ServiceStory story(2);
  std::optional<StageReporter> reporter;
  for (const std::string& name : {std::string(), std::string(65, 'a'), std::string("a\x1b[31m"), std::string(" a"), std::string("a\nb")})
    CHECK(story.say(1, {StageSpan(name, 1s)}, reporter).error().code() == Errc::invalid_argument);
  MeetingStory alone(2);
  std::optional<StageReporter> none;
  CHECK(alone.say(1, {StageSpan("sync", 1s)}, none).error().code() == Errc::failed_precondition);
}

TEST_CASE("a service that is lost, and another that knows nothing") {
  ServiceStory story(3);
  story.join(0);
  story.join(1);
  story.pass(5s);
  story.serve(server_name, nullptr);
  story.join(2, 3s);
  story.pass(5s);
  CHECK(story.started() == 0);
  CHECK_THAT(story.member(2).call->value().error().what(), Contains("the service that keeps the roll of the barrier cannot be asked"));
  story.begin_service();
  story.join(2);
  story.pass(5s);
  CHECK(story.started() == 3);
}

TEST_CASE("tasks of two servers of which each reaches one never start") {
  ServiceStory story(4);
  story.begin_service("s901");
  story.servers.urls = {"https://s900", "https://s901"};
  for (std::size_t i = 0; i < 4; ++i) story.cut(i, i < 2 ? 901 : 900);
  for (std::size_t i = 0; i < 4; ++i) story.join(i, 60s);
  story.pass(50s);
  CHECK(story.started() == 0);
  // One that all reach is enough.
  for (std::size_t i = 0; i < 4; ++i) story.cut(i, 901, false);
  story.pass(8s);
  CHECK(story.started() == 4);
}

// With messages lost, late and doubled, and processes that end.
TEST_CASE("in random meetings at a service no task starts before all are there") {
  for (unsigned seed = 1; seed <= fewer_with_sanitizers(100); ++seed) {
    std::mt19937 dice(seed);
    const std::size_t tasks = 2 + dice() % 6;
    ServiceStory story(tasks, seed);
    story.lost = 0.02 * static_cast<double>(dice() % 8);
    story.late = 0.05 * static_cast<double>(dice() % 5);
    story.doubled = 0.05 * static_cast<double>(dice() % 5);
    INFO("seed " << seed);
    for (std::size_t i = 0; i < tasks; ++i) {
      story.join(i, std::chrono::seconds(120), {}, 1 + static_cast<std::int64_t>(dice() % 9));
      story.pass(std::chrono::milliseconds(dice() % 1500));
      if (i + 1 < tasks) REQUIRE(story.started() == 0);
    }
    story.lost = story.late = story.doubled = 0;
    story.pass(std::chrono::seconds(25));
    REQUIRE(story.started() == tasks);
    for (std::size_t i = 1; i < tasks; ++i) REQUIRE(story.generation(i) == story.generation(0));
  }
}

}  // namespace
