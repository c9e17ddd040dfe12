// Lists of events: real ones, their times, and attacks.
#include "resolvers/kubernetes/chain/wire/kube_event.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/timestamp.hpp"
#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

Result<EventBook> events_in(const std::string& json, EventBook::Wanted wanted = nullptr, std::size_t step = 4096) {
  EventBook book;
  book.set_wanted(std::move(wanted));
  EventListParser parser(book, ParseLimits());
  for (std::size_t at = 0; at < json.size(); at += step) {
    const Result<void> fed = parser.feed(std::string_view(json).substr(at, step));
    if (!fed) return fed.error();
  }
  const Result<void> done = parser.finish();
  if (!done) return done.error();
  return book;
}

std::string event_list(const std::string& events) {
  return R"({"kind":"EventList","metadata":{"continue":"more"},"items":[)" + events + "]}";
}

std::string event_at(const std::string& times, const std::string& reason = "FailedMount") {
  return fmt::format(
      R"({{"metadata":{{"name":"e"}},"involvedObject":{{"kind":"Pod","namespace":"train","name":"p","uid":"u-1"}},"reason":"{}",)"
      R"("message":"m","type":"Warning"{}}})",
      reason, times);
}

}  // namespace

TEST_CASE("the scheduler's events have no time but eventTime, and repeats in a series") {
  const Result<EventBook> book = events_in(read_sample("kubernetes/chain/events.unschedulable.json"));
  REQUIRE(book);
  const std::vector<const KubeEvent*> failed = book->with("FailedScheduling");
  REQUIRE_FALSE(failed.empty());
  CHECK(failed.front()->component == "default-scheduler");
  CHECK(failed.front()->type == "Warning");
  CHECK(failed.front()->at.has_value());
  CHECK_THAT(failed.front()->message, Contains("3 Insufficient nvidia.com/gpu"));
}

TEST_CASE("the time of an event is the latest that it says") {
  const auto at_of = [](const std::string& times) {
    const Result<EventBook> book = events_in(event_list(event_at(times)));
    const KubeEvent* const event = book->find("u-1", "FailedMount");
    return event && event->at ? format_rfc3339(*event->at) : std::string("none");
  };
  CHECK(at_of(R"(,"firstTimestamp":null,"lastTimestamp":null,"eventTime":"2026-11-26T13:00:00.5Z")") == "2026-11-26T13:00:00.500Z");
  CHECK(at_of(R"(,"firstTimestamp":"2026-11-26T12:00:00Z","lastTimestamp":"2026-11-26T13:00:00Z","eventTime":null)") ==
        "2026-11-26T13:00:00Z");
  CHECK(at_of(R"(,"eventTime":"2026-11-26T12:00:00Z","series":{"count":7,"lastObservedTime":"2026-11-26T14:00:00Z"})") ==
        "2026-11-26T14:00:00Z");
  CHECK(at_of(R"(,"lastTimestamp":"yesterday")") == "none");
}

TEST_CASE("of an object, a reason and a container the latest event counts, and since the first") {
  const std::string old_one = event_at(R"(,"firstTimestamp":"2026-11-26T12:00:00Z","lastTimestamp":"2026-11-26T12:00:00Z")");
  const std::string new_one = event_at(R"(,"firstTimestamp":"2026-11-26T13:00:00Z","lastTimestamp":"2026-11-26T13:00:00Z","count":3)");
  for (const std::string& both : {old_one + "," + new_one, new_one + "," + old_one}) {
    const Result<EventBook> book = events_in(event_list(both));
    REQUIRE(book);
    CHECK(book->size() == 1);
    const KubeEvent* const event = book->find("u-1", "FailedMount");
    REQUIRE(event);
    CHECK(format_rfc3339(*event->at) == "2026-11-26T13:00:00Z");
    CHECK(format_rfc3339(*event->first) == "2026-11-26T12:00:00Z");
  }
}

TEST_CASE("a container is named by the path of the field") {
  const Result<EventBook> book = events_in(read_sample("kubernetes/chain/events.image-pulling.json"));
  REQUIRE(book);
  const std::vector<const KubeEvent*> pulling = book->with("Pulling");
  REQUIRE(pulling.size() == 1);
  CHECK(pulling.front()->container == "trainer");
  CHECK(pulling.front()->type == "Normal");
}

TEST_CASE("only the events that are wanted are kept, whatever the size of the pieces") {
  const std::string json = read_sample("kubernetes/chain/events.mount-failed.json");
  const auto is_mount = [](const KubeEvent& event) { return event.reason == "FailedMount"; };
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, json.size()}) {
    const Result<EventBook> book = events_in(json, is_mount, step);
    REQUIRE(book);
    REQUIRE(book->size() == 1);
    CHECK_THAT(book->with("FailedMount").front()->message, Contains("secret \"wandb\" not found"));
  }
}

TEST_CASE("a hundred thousand events and a message of a megabyte take bounded memory") {
  std::string many;
  for (int i = 0; i < 100'000; ++i) {
    many += fmt::format(R"({}{{"involvedObject":{{"uid":"u-{}"}},"reason":"R"}})", i > 0 ? "," : "", i);
  }
  const Result<EventBook> book = events_in(event_list(many));
  REQUIRE(book);
  CHECK(book->size() == EventBook::max_events);
  CHECK(book->is_cut());
  const std::string long_one = R"({"involvedObject":{"uid":"u"},"reason":"R\u001b[31m","message":")" + std::string(1 << 20, 'x') + R"("})";
  const Result<EventBook> one = events_in(event_list(long_one));
  REQUIRE(one);
  const std::vector<const KubeEvent*> mine = one->of("u");
  REQUIRE(mine.size() == 1);
  CHECK(mine.front()->message.size() < 700);
  CHECK(mine.front()->reason.find('\x1b') == std::string::npos);
}

TEST_CASE("lists of events that are none are refused") {
  for (const char* const bad :
       {"", "[]", R"({"items":{}})", R"({"items":[7]})", R"({"items":[{"message":7}]})", R"({"items":[{"reason":"x")"}) {
    CAPTURE(bad);
    CHECK_FALSE(events_in(bad));
  }
  CHECK(events_in(R"({"items":null})"));
}
