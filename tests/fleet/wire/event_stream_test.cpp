// Server-sent events, written and read in pieces of any size.
#include "fleet/wire/event_stream.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::fleet;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

// Type, data and id of each event, fed in pieces of `step` bytes.
std::string events_of(std::string_view bytes, std::size_t step, std::size_t max = 4096) {
  EventStreamReader reader(max);
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const Result<void> fed = reader.feed(bytes.substr(at, step));
    if (!fed) return out + std::string(to_string(fed.error().code()));
    while (const auto event = reader.next()) out += "[" + event->type + "|" + event->data + "|" + event->id + "]";
  }
  if (reader.retry()) out += std::to_string(reader.retry()->count());
  return out;
}

void check_events(std::string_view bytes, const std::string& wanted) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{1000}}) {
    INFO(bytes << " in pieces of " << step);
    CHECK(events_of(bytes, step) == wanted);
  }
}

}  // namespace

TEST_CASE("what is written as an event is read as one") {
  check_events(render_retry(7312ms) + render_server_event("members", "{\"a\":1}", "51.7") + render_server_event("", "two\nlines", ""),
               "[members|{\"a\":1}|51.7][message|two\nlines|51.7]7312");
}

TEST_CASE("lines end in three ways, fields are as the standard has them") {
  check_events(
      "\xEF\xBB\xBF"
      "data: a\r\ndata:b\rdata:  c\n\n",
      "[message|a\nb\n c|]");
  check_events(": comment\n\nevent: x\n\ndata: after\n\n", "[message|after|]");  // without data it is no event, and its type is forgotten
  check_events("data\n\nid\ndata:\nnobody: knows\n\n", "[message||][message||]");
  check_events("id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", "[message|a|1][message|b|1][message|c|]");
  check_events("retry: 5\nretry: x\nretry: -1\nretry: 99999999999\n\ndata: not ended\n", "5");
  CHECK(events_of(std::string("id: a\0b\ndata: x\n\n", 17), 100) == "[message|x|]");
}

TEST_CASE("lines and events are bounded, and are UTF-8") {
  const std::string line = "data: " + std::string(58, 'x') + "\n";
  CHECK(events_of(line + "\n", 7, 64) == "[message|" + std::string(58, 'x') + "|]");
  CHECK(events_of("data: " + std::string(59, 'x') + "\n\n", 7, 64) == "limit_exceeded");
  CHECK(events_of(std::string(65, ':'), 7, 64) == "limit_exceeded");
  CHECK(events_of(line + line + line + "\n", 7, 64) == "limit_exceeded");
  CHECK(events_of("data: \xff\n\n", 7, 64) == "malformed_response");
}

TEST_CASE("a long id is not kept for every event") {
  EventStreamReader reader(1 << 20);
  REQUIRE(reader.feed("id: " + std::string(1'000'000, 'x') + "\nevent: " + std::string(100'000, 'y') + "\ndata\n\ndata\n\n"));
  const std::optional<ServerEvent> first = reader.next();
  const std::optional<ServerEvent> second = reader.next();
  REQUIRE((first && second));
  CHECK(first->id.size() == 128);
  CHECK(first->type.size() == 128);
  CHECK(second->id.size() == 128);
}

TEST_CASE("a shortened id ends with a whole character") {
  EventStreamReader reader(4096);
  REQUIRE(reader.feed("id: " + std::string(127, 'x') + "\xC3\xA9\nevent: " + std::string(126, 'y') + "\xC3\xA9z\ndata\n\n"));
  const std::optional<ServerEvent> event = reader.next();
  REQUIRE(event);
  CHECK(event->id == std::string(127, 'x'));
  CHECK(event->type == std::string(126, 'y') + "\xC3\xA9");
}
