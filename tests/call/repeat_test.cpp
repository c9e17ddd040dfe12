// How often a request is sent, by its method and by the outcome of the last attempt.
#include <catch2/catch.hpp>

#include "call/api_client.hpp"
#include "call/call_scope.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::ScriptedTransport;
using rollcall::testing::TestRuntime;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

HttpRequest request_of(HttpMethod method, std::optional<bool> is_repeatable = {}) {
  HttpRequest request(*Url::parse("https://api.test/orders?key=secret"));
  request.method = method;
  request.body = "{}";
  request.is_repeatable = is_repeatable;
  return request;
}

asio::awaitable<Result<HttpResponse>> fetch(Call& call, HttpRequest request, bool with_token) {
  Result<HttpResponse> answer = co_await call.fetch(std::move(request), with_token);
  co_return answer;
}

Result<HttpResponse> run(TestRuntime& t, HttpRequest request, CallOptions options = {}, bool with_token = false) {
  auto script = [request, with_token](Call& call) { return fetch(call, request, with_token); };
  return t.run(run_call<HttpResponse>(shared_impl_of(t.runtime), std::move(options), "test", script));
}

Failure lost(Errc code = Errc::unreachable) {
  return Failure(code, "the connection broke before an answer").with_phase(Phase::response).with_hint("try again");
}

class TwoTokens final : public Credentials {
 public:
  asio::awaitable<Result<AccessToken>> token(Call&) override {
    co_return AccessToken(Secret<std::string>(is_refused ? "second-token" : "first-token"));
  }
  void invalidate(const AccessToken&) override { is_refused = true; }
  std::string describe() const override { return "two tokens"; }
  bool is_refused = false;
};

}  // namespace

TEST_CASE("a request that may have been processed is sent again only if it changes nothing") {
  const Errc code = GENERATE(Errc::unreachable, Errc::response_timeout);
  const auto [method, is_repeatable, requests] = GENERATE(table<HttpMethod, std::optional<bool>, std::size_t>({
      {HttpMethod::get, std::nullopt, 2},
      {HttpMethod::get, false, 1},
      {HttpMethod::post, std::nullopt, 1},
      {HttpMethod::put, std::nullopt, 1},
      {HttpMethod::delete_, std::nullopt, 1},
      {HttpMethod::post, true, 2},
      {HttpMethod::put, true, 2},
      {HttpMethod::delete_, true, 2},
  }));
  TestRuntime t;
  t.answer(lost(code));
  t.answer(200);
  const auto result = run(t, request_of(method, is_repeatable));
  CHECK(result.has_value() == (requests == 2));
  CHECK(t.transport->requests.size() == requests);
}

TEST_CASE("a failure says that the request was not sent again, why, and what to check") {
  TestRuntime t;
  t.answer(lost());
  t.answer(200);
  const int max_retries = GENERATE(0, 5);
  const auto result = run(t, request_of(HttpMethod::post), CallOptions().retry(RetryPolicy().max_retries(max_retries)));
  REQUIRE(result.has_error());
  CHECK(result.error().code() == Errc::unreachable);
  CHECK(result.error().attempts() == 1);
  CHECK_THAT(result.error().what(),
             Contains("the connection broke before an answer (not sent again, because it may have been carried out)"));
  CHECK(result.error().hint() == "look whether it took effect before you send it again");
}

TEST_CASE("every request that was never sent is sent again") {
  const auto [code, phase] = GENERATE(table<Errc, Phase>({{Errc::unknown_host, Phase::resolve},
                                                          {Errc::resolve_timeout, Phase::resolve},
                                                          {Errc::unreachable, Phase::connect},
                                                          {Errc::connect_timeout, Phase::connect},
                                                          {Errc::unreachable, Phase::handshake},
                                                          {Errc::handshake_timeout, Phase::handshake}}));
  TestRuntime t;
  t.answer(Failure(code, "no connection").with_phase(phase));
  t.answer(200);
  CHECK(run(t, request_of(HttpMethod::post)).has_value());
  CHECK(t.transport->requests.size() == 2);
}

TEST_CASE("a request that the server did not process is sent again") {
  const auto [status, retry_after, requests] = GENERATE(table<int, const char*, std::size_t>({
      {429, nullptr, 2},
      {429, "1", 2},
      {503, "1", 2},
      {503, nullptr, 1},
      {500, nullptr, 1},
      {500, "1", 1},
      {502, nullptr, 1},
      {504, nullptr, 1},
      {408, nullptr, 1},
  }));
  TestRuntime t;
  HttpResponse busy = ScriptedTransport::reply(status);
  if (retry_after) busy.headers.add("Retry-After", retry_after);
  t.transport->answers.emplace_back(busy);
  t.answer(200);
  const auto result = run(t, request_of(HttpMethod::post));
  CHECK(t.transport->requests.size() == requests);
  REQUIRE(result.has_value() == (requests == 2));
  if (!result) CHECK_THAT(result.error().what(), Contains("(not sent again, because it may have been carried out)"));
}

TEST_CASE("a request with a rejected token is sent again with another") {
  TestRuntime t({}, {}, std::make_shared<TwoTokens>());
  t.answer(401);
  t.answer(200);
  CHECK(run(t, request_of(HttpMethod::post), {}, true).has_value());
  REQUIRE(t.transport->requests.size() == 2);
  CHECK(t.transport->requests[1].bearer.reveal() == "second-token");
}

TEST_CASE("each failure of a request that is not sent again counts for the host's retry budget") {
  Limits limits;
  limits.retry_budget = 4;
  TestRuntime t({}, limits);
  t.answer(lost());
  for (int i = 0; i < 2; ++i) CHECK(run(t, request_of(HttpMethod::post)).has_error());
  const std::size_t before = t.transport->requests.size();
  CHECK(run(t, request_of(HttpMethod::get)).has_error());
  CHECK(t.transport->requests.size() == before + 1);
}

TEST_CASE("a connection that breaks when the deadline has passed is not called a stop of the call") {
  TestRuntime t;
  t.transport->is_deaf = true;
  ScriptedTransport::Answer late(lost());
  late.after = 2s;
  t.transport->answers.push_back(late);
  const Result<HttpResponse> answer = run(t, request_of(HttpMethod::get), CallOptions().timeout(1s));
  REQUIRE(answer.has_error());
  CHECK_THAT(answer.error().what(), Contains("broke before an answer (the deadline has passed)"));
}
