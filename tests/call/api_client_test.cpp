#include "call/api_client.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "call/call_scope.hpp"
#include "resolvers/tpu/rules/tpu_service.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::ScriptedTransport;
using rollcall::testing::TestRuntime;
using namespace std::chrono_literals;

namespace {

asio::awaitable<Result<HttpResponse>> get_script(Call& call, std::string url, bool with_token) {
  HttpRequest http(*Url::parse(url));
  ApiRequest request(std::move(http));
  request.what = "thing";
  request.service = &tpu_service;
  request.with_token = with_token;
  Result<HttpResponse> response = co_await api_send(call, request);
  co_return response;
}

asio::awaitable<Result<HttpResponse>> get(TestRuntime& t, CallOptions options = {}, std::string url = "https://api.test/x?key=secret",
                                          bool with_token = true) {
  auto script = [url, with_token](Call& call) { return get_script(call, url, with_token); };
  return run_call<HttpResponse>(shared_impl_of(t.runtime), std::move(options), "test", script);
}

// Another token after each rejection.
class NumberedTokens final : public Credentials {
 public:
  asio::awaitable<Result<AccessToken>> token(Call&) override {
    ++asked;
    co_return AccessToken(Secret<std::string>("token-" + std::to_string(refused)));
  }
  void invalidate(const AccessToken&) override { ++refused; }
  std::string describe() const override { return "numbered tokens"; }

  int asked = 0;
  int refused = 0;
};

Failure refused() { return Failure(Errc::unreachable, "connection refused").with_phase(Phase::connect); }

}  // namespace

TEST_CASE("a success needs one request with the token") {
  TestRuntime t;
  t.answer(200, "hello");
  const auto result = t.run(get(t));
  REQUIRE(result.has_value());
  CHECK(result->body == "hello");
  REQUIRE(t.transport->requests.size() == 1);
  CHECK(t.transport->requests[0].bearer.reveal() == "test-token");
  CHECK(t.log->lines == std::vector<std::string>{"call_started", "attempt_started", "attempt_finished 200", "call_finished"});
  CHECK(t.time->alarms() == 0);
}

TEST_CASE("a log that does not want events of calls and requests gets only the others") {
  TestRuntime t;
  t.log->is_content_with_news = true;
  t.answer(503);
  t.answer(200, "hello");
  CHECK(t.run(get(t)).has_value());
  REQUIRE(t.log->lines.size() == 1);
  CHECK_THAT(t.log->lines.front(), Catch::StartsWith("backing_off 503"));
}

TEST_CASE("a log that got the begin event gets the end event") {
  TestRuntime t;
  t.log->content_after = GENERATE(EventKind::call_started, EventKind::attempt_started);
  t.answer(200, "hello");
  CHECK(t.run(get(t)).has_value());
  const auto reported = [&t](const char* line) { return std::count(t.log->lines.begin(), t.log->lines.end(), line); };
  CHECK(reported("call_started") == reported("call_finished"));
  CHECK(reported("attempt_started") == reported("attempt_finished 200"));
  CHECK(reported("attempt_started") == (t.log->content_after == EventKind::attempt_started ? 1 : 0));
}

TEST_CASE("transient answers are retried after a jittered wait, and the failure describes it") {
  TestRuntime t;
  t.answer(503);
  t.answer(refused());
  t.answer(200);
  const auto result = t.run(get(t));
  REQUIRE(result.has_value());
  CHECK(t.transport->requests.size() == 3);
  CHECK(t.seconds() > 0);
  CHECK(t.seconds() <= 0.6);
}

TEST_CASE("N retries are N+1 requests, and the failure counts them") {
  TestRuntime t;
  t.answer(503, R"({"error":{"code":503,"message":"try later","status":"UNAVAILABLE"}})");
  const auto result = t.run(get(t, CallOptions().retry(RetryPolicy().max_retries(3))));
  REQUIRE(result.has_error());
  const Failure failure = result.error();
  CHECK(failure.code() == Errc::unavailable);
  CHECK(failure.attempts() == 4);
  CHECK(failure.last_status() == 503);
  CHECK(t.transport->requests.size() == 4);
  CHECK_THAT(failure.message(), Catch::Contains("try later") && Catch::Contains("https://api.test/x") && !Catch::Contains("secret"));
}

TEST_CASE("a final status is sent once") {
  const int status = GENERATE(400, 403, 404, 405, 418);
  TestRuntime t;
  t.answer(status);
  const auto result = t.run(get(t));
  REQUIRE(result.has_error());
  CHECK(result.error().attempts() == 1);
  CHECK(t.transport->requests.size() == 1);
}

TEST_CASE("Retry-After is honoured, and refused when it would cross the deadline") {
  TestRuntime t;
  HttpResponse busy = rollcall::testing::ScriptedTransport::reply(429);
  busy.headers.add("Retry-After", "5");
  SECTION("within the deadline") {
    t.transport->answers.emplace_back(busy);
    t.answer(200);
    REQUIRE(t.run(get(t)).has_value());
    CHECK(t.seconds() >= 5);
    CHECK(t.seconds() <= 5.5);
  }
  SECTION("beyond it") {
    t.transport->answers.emplace_back(busy);
    const auto result = t.run(get(t, CallOptions().timeout(4s)));
    REQUIRE(result.has_error());
    CHECK(result.error().code() == Errc::rate_limited);
    CHECK_THAT(result.error().message(), Catch::Contains("asks for a wait that the deadline does not allow: 5 s"));
    CHECK(t.seconds() == 0);
  }
}

TEST_CASE("the deadline ends a call in flight at its tick, and the failure names the phase") {
  TestRuntime t;
  t.answer(503);
  t.answer(200);
  t.transport->answers.back().after = 1h;
  auto started = t.start(get(t, CallOptions().timeout(3s)));
  while (*t.time->next_alarm() < SteadyTime(3s)) {
    t.time->advance_to(*t.time->next_alarm());
    t.poll();
  }
  t.time->advance_to(SteadyTime(3s) - 1ns);
  t.poll();
  CHECK_FALSE(started.done());
  t.time->advance(1ns);
  t.poll();
  REQUIRE(started.done());
  const Failure failure = started.value().error();
  CHECK(failure.code() == Errc::deadline_exceeded);
  CHECK(failure.phase() == Phase::response);
  CHECK(failure.elapsed() == 3s);
  CHECK(failure.attempts() == 2);
  CHECK_THAT(failure.message(), Catch::Contains("503"));
  CHECK(t.transport->in_flight == 0);
  CHECK(t.time->alarms() == 0);
}

TEST_CASE("the caller's cancellation ends a call in the next turn, in flight or backing off") {
  TestRuntime t;
  const bool is_backing_off = GENERATE(true, false);
  t.answer(is_backing_off ? 503 : 200);
  if (!is_backing_off) t.transport->answers.back().after = 1h;
  auto started = t.start(get(t));
  CHECK_FALSE(started.done());
  started.cancel();
  t.poll();
  REQUIRE(started.done());
  CHECK(started.value().error().code() == Errc::cancelled);
  CHECK(t.time->alarms() == 0);
}

TEST_CASE("close() cancels calls in flight and refuses later ones") {
  TestRuntime t;
  t.answer(200);
  t.transport->answers.back().after = 1h;
  auto started = t.start(get(t));
  asio::co_spawn(t.io, t.runtime.close(), [](std::exception_ptr) {});
  t.poll();
  REQUIRE(started.done());
  CHECK(started.value().error().code() == Errc::cancelled);
  CHECK(t.transport->is_closed);
  CHECK(t.run(get(t)).error().code() == Errc::cancelled);
}

TEST_CASE("401 is answered with another token once") {
  const auto tokens = std::make_shared<NumberedTokens>();
  TestRuntime t({}, {}, tokens);
  t.answer(401);
  const auto result = t.run(get(t));
  REQUIRE(result.has_error());
  CHECK(result.error().code() == Errc::unauthenticated);
  REQUIRE(t.transport->requests.size() == 2);
  CHECK(t.transport->requests[0].bearer.reveal() == "token-0");
  CHECK(t.transport->requests[1].bearer.reveal() == "token-1");
  CHECK(tokens->asked == 3);  // for each attempt, and to check for another token; not after the last
  CHECK(tokens->refused == 2);
  CHECK(t.seconds() == 0);
}

TEST_CASE("401 is final when there is no other token") {
  TestRuntime t;
  t.answer(401);
  const auto result = t.run(get(t));
  REQUIRE(result.has_error());
  CHECK(result.error().code() == Errc::unauthenticated);
  CHECK(t.transport->requests.size() == 1);
}

TEST_CASE("a token never goes to plain http off this machine") {
  TestRuntime t;
  t.answer(200);
  const auto result = t.run(get(t, {}, "http://api.test/x"));
  REQUIRE(result.has_error());
  CHECK(result.error().code() == Errc::refused_by_policy);
  CHECK(t.transport->requests.empty());
  CHECK(t.run(get(t, {}, "http://127.0.0.1:8080/x")).has_value());
}

TEST_CASE("no more requests are in flight to a host than the limit, and none starves") {
  Limits limits;
  limits.requests_in_flight_per_host = 5;
  TestRuntime t({}, limits);
  t.answer(200);
  t.transport->answers.back().after = 1s;
  std::vector<TestRuntime::Started<Result<HttpResponse>>> all;
  for (int i = 0; i < 23; ++i) all.push_back(t.start(get(t)));
  for (auto& started : all) {
    REQUIRE(t.finish(started));
    CHECK(started.value().has_value());
  }
  CHECK(t.transport->max_in_flight == 5);
  CHECK(t.seconds() == 5);
}

TEST_CASE("a spent retry budget fails at once") {
  Limits limits;
  limits.retry_budget = 10;
  TestRuntime t({}, limits);
  t.answer(503);
  const auto result = t.run(get(t, CallOptions().retry(RetryPolicy().max_retries(100))));
  REQUIRE(result.has_error());
  CHECK(result.error().attempts() == 5);
  CHECK_THAT(result.error().message(), Catch::Contains("budget"));
}

TEST_CASE("a call whose loop goes away leaks nothing") {
  auto t = std::make_unique<TestRuntime>();
  t->answer(200);
  t->transport->answers.back().after = 1h;
  auto started = t->start(get(*t));
  CHECK_FALSE(started.done());
}

TEST_CASE("a refused redirect says where it leads, without the query") {
  TestRuntime t;
  HttpResponse moved = rollcall::testing::ScriptedTransport::reply(302);
  const auto [location, shown] = GENERATE(table<std::string, std::string>({
      {"https://other.test/login?state=secret#x", "HTTP 302; Location: https://other.test/login"},
      {"/here?state=secret", "HTTP 302; Location: /here"},
      {"//other.test/secret", "HTTP 302 "},
      {"https://user:secret@other.test/", "HTTP 302 "},
      {"https://other.test/test-token", "HTTP 302; Location: https://other.test/***"},
  }));
  moved.headers.add("Location", location);
  t.transport->answers.emplace_back(moved);
  const auto result = t.run(get(t));
  REQUIRE(result.has_error());
  CHECK_THAT(result.error().message(), Catch::Contains(shown) && !Catch::Contains("secret") && !Catch::Contains("test-token"));
  CHECK(t.transport->requests.size() == 1);
}

TEST_CASE("the failure of an overloaded service has a hint") {
  TestRuntime t;
  t.answer(503);
  const auto result = t.run(get(t, CallOptions().retry(RetryPolicy().max_retries(0))));
  REQUIRE(result.has_error());
  CHECK_FALSE(result.error().hint().empty());
  CHECK_FALSE(result.error().what().ends_with(")"));  // a user who disabled retries needs no reason
}

TEST_CASE("the subject is named once when the deadline passes between attempts") {
  TestRuntime t;
  t.answer(503);
  t.transport->answers.emplace_back(ScriptedTransport::reply(200));
  t.transport->answers.back().after = 60s;
  const auto result = t.run(get(t));
  REQUIRE(result.has_error());
  CHECK(result.error().code() == Errc::deadline_exceeded);
  CHECK(result.error().what().find("no answer within the deadline of 30 s; last: thing: HTTP 503") == 0);
}
