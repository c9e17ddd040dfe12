// Events as lines.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <fstream>
#include <iterator>

#include "command/show/command_sink.hpp"
#include "command/show/progress.hpp"
#include "render/render_event.hpp"
#include "support/paths.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::command;
using namespace std::chrono_literals;

namespace {

constexpr SteadyTime zero = SteadyTime(50s);

Event event(EventKind kind, Duration at = 0s) {
  Event e;
  e.kind = kind;
  e.at = zero + at;
  e.call = 1;
  return e;
}

}  // namespace

TEST_CASE("--verbose: one line an event") {
  const Failure failure(Errc::unavailable, "HTTP 503 from the service.");
  Event e = event(EventKind::backing_off, 1234500us);
  e.attempt = 2;
  e.status = 503;
  e.delay = 1200ms;
  e.failure = &failure;
  CHECK(event_text(e, zero, 11) == "   1.2345  #1     attempt 2 of 11: HTTP 503 from the service, waiting 1.2 s");
  e.is_server_delay = true;
  CHECK(event_text(e, zero, 11) == "   1.2345  #1     attempt 2 of 11: HTTP 503 from the service, waiting 1.2 s (Retry-After)");

  Event sent = event(EventKind::attempt_started);
  sent.attempt = 1;
  sent.exchange = 7;
  sent.subject = "GET https://h/\x1b[2J\n";
  CHECK(event_text(sent, zero, 1) == "   0.0000  #1.7   attempt 1 of 1: GET https://h/\\x1b[2J\\x0a");
  CHECK(event_text(event(EventKind::phase_started), zero, 1).empty());
}

TEST_CASE("--verbose: a reported failure is not repeated") {
  const Failure failure(Errc::unavailable, "HTTP 503");
  Event e = event(EventKind::backing_off);
  e.attempt = 2;
  e.delay = 1200ms;
  e.failure = &failure;
  CHECK(event_text(e, zero, 11, true) == "   0.0000  #1     attempt 2 of 11: waiting 1.2 s");
  e = event(EventKind::call_finished);
  e.subject = "tpu:a cluster_spec";
  e.failure = &failure;
  CHECK(event_text(e, zero, 11) == "   0.0000  #1     tpu:a cluster_spec: failed: HTTP 503");
  CHECK(event_text(e, zero, 11, true) == "   0.0000  #1     tpu:a cluster_spec: failed");
  e = event(EventKind::member_failed);
  e.subject = "tpu:a";
  e.failure = &failure;
  CHECK(event_text(e, zero, 11, true) == "   0.0000  #1     tpu:a: failed");
}

TEST_CASE("--log json: the documentation knows every event and every member") {
  std::ifstream file(rollcall::testing::source_dir() / "docs/command.md");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t start = text.find("`--log json` prints");
  REQUIRE(start != std::string::npos);
  const std::string reported = text.substr(start, text.find("`--trace FILE`", start) - start);
  for (int kind = 0; to_string(static_cast<EventKind>(kind)) != "?"; ++kind) {
    INFO(to_string(static_cast<EventKind>(kind)));
    CHECK(reported.find(fmt::format("`{}`", to_string(static_cast<EventKind>(kind)))) != std::string::npos);
  }
  const Failure failure(Errc::not_found, "none");
  Event e = event(EventKind::backing_off, 5ms);
  e.exchange = e.attempt = e.status = 1;
  e.phase = Phase::connect;
  e.subject = e.text = "x";
  e.failure = &failure;
  const boost::json::object object = boost::json::parse(render_event_json(e, zero)).as_object();
  CHECK(object.size() == 13);
  for (const auto& member : object) {
    INFO(std::string_view(member.key()));
    CHECK(reported.find(fmt::format("`{}`", std::string_view(member.key()))) != std::string::npos);
  }
}

TEST_CASE("--log json: one object an event") {
  for (int kind = 0; to_string(static_cast<EventKind>(kind)) != "?"; ++kind) {
    const Failure failure(Errc::not_found, "no \"such\" thing");
    Event e = event(static_cast<EventKind>(kind), 5ms);
    e.subject = "s\x1b\xff";
    e.failure = &failure;
    const std::string line = render_event_json(e, zero);
    CHECK(line.find('\n') == std::string::npos);
    const boost::json::object object = boost::json::parse(line).as_object();
    CHECK(object.at("event").as_string() == to_string(e.kind));
    CHECK(object.at("at_us").as_int64() == 5000);
    CHECK(object.at("code").as_string() == "not_found");
  }
  Event e = event(EventKind::backing_off);
  e.delay = 250ms;
  CHECK(render_event_json(e, zero) == "{\"event\":\"backing_off\",\"at_us\":0,\"call\":1,\"delay_us\":250000,\"is_server_delay\":false}");
}

TEST_CASE("the progress line says what is awaited") {
  Progress progress(40, zero);
  CHECK(progress.line(zero, 80) == "0/40 resolved, waiting for an answer");
  progress.take(event(EventKind::attempt_started));
  progress.take(event(EventKind::attempt_started));
  CHECK(progress.line(zero + 2s, 80) == "0/40 resolved, waiting for 2 answers, 2 s");
  progress.take(event(EventKind::member_resolved));
  progress.take(event(EventKind::member_failed));
  progress.take(event(EventKind::attempt_finished));
  progress.take(event(EventKind::attempt_finished));
  Event pause = event(EventKind::backing_off);
  pause.delay = 1500ms;
  pause.status = 503;
  progress.take(pause);
  CHECK(progress.line(zero + 500ms, 80) == "1/40 resolved, 1 failed, retrying in 1.0 s (HTTP 503)");
  CHECK(progress.line(zero + 500ms, 10) == "1/40 resol");
  CHECK(progress.line(zero + 1500ms, 80) == "1/40 resolved, 1 failed, waiting for an answer, 2 s");
  Progress single(1, zero);
  CHECK(single.line(zero, 80) == "waiting for an answer");
  Progress each(2, zero);
  each.count(true);
  each.take(event(EventKind::call_finished));  // e.g. a token's
  CHECK(each.line(zero, 80) == "1/2 resolved, waiting for an answer");
}
