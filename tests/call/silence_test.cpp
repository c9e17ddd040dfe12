// Attempts whose server does not answer, in virtual time: they time out while there is time for another.
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

asio::awaitable<Result<HttpResponse>> ask(Call& call, HttpMethod method) {
  HttpRequest http(*Url::parse("https://api.test/x"));
  http.method = method;
  ApiRequest request(std::move(http));
  request.what = "thing";
  Result<HttpResponse> response = co_await api_send(call, request);
  co_return response;
}

auto call_of(TestRuntime& t, CallOptions options, HttpMethod method = HttpMethod::get) {
  auto script = [method](Call& call) { return ask(call, method); };
  return run_call<HttpResponse>(shared_impl_of(t.runtime), std::move(options), "test", script);
}

ScriptedTransport::Answer silence() {
  ScriptedTransport::Answer answer{ScriptedTransport::reply(200)};
  answer.after = 24h;
  return answer;
}

// One server that gets one request and does not answer: the duration of the attempt.
double patience(CallOptions options, HttpMethod method = HttpMethod::get) {
  TestRuntime t;
  t.transport->minds_silence = true;
  t.transport->answers.push_back(silence());
  t.answer(404);
  const auto result = t.run(call_of(t, std::move(options), method));
  CHECK(result.has_error());
  if (t.transport->times.size() > 1) return std::chrono::duration<double>(t.transport->times[1].time_since_epoch()).count();
  return t.seconds();
}

}  // namespace

TEST_CASE("one connection in ten goes silent, and all of forty questions are answered within 8 s") {
  TestRuntime t;
  t.transport->minds_silence = true;
  int connections = 0;
  t.transport->respond = [&connections](const HttpRequest&) {
    return ++connections % 10 == 0 ? silence() : ScriptedTransport::Answer(ScriptedTransport::reply(200));
  };
  std::vector<TestRuntime::Started<Result<HttpResponse>>> all;
  for (int i = 0; i < 40; ++i) all.push_back(t.start(call_of(t, CallOptions().timeout(8s))));
  for (auto& one : all) {
    REQUIRE(t.finish(one));
    CHECK(one.value().has_value());
  }
  CHECK(connections == 44);
}

TEST_CASE("an attempt's time-out is two thirds of the time that is left, at least a second, at most the default") {
  CHECK(patience(CallOptions().timeout(90s)) == Approx(20).margin(0.3));
  CHECK(patience(CallOptions().timeout(8s)) == Approx(16.0 / 3).margin(0.3));
  CHECK(patience(CallOptions().timeout(2s)) == Approx(4.0 / 3).margin(0.3));
  CHECK(patience(CallOptions().timeout(800ms)) == Approx(0.8));
}

TEST_CASE("if no other attempt follows, the time-out is not shortened") {
  CHECK(patience(CallOptions().timeout(8s).retry(RetryPolicy().max_retries(0))) == 8);
  CHECK(patience(CallOptions().timeout(30s).retry(RetryPolicy().max_retries(0))) == 20);
  CHECK(patience(CallOptions().timeout(8s), HttpMethod::post) == 8);
}

TEST_CASE("the last attempt has all the time that is left") {
  TestRuntime t;
  t.transport->minds_silence = true;
  t.transport->answers.push_back(silence());
  t.transport->answers.push_back(silence());
  t.transport->answers.back().after = 1600ms;
  CHECK(t.run(call_of(t, CallOptions().timeout(8s).retry(RetryPolicy().max_retries(1)))).has_value());
  CHECK(t.transport->requests.size() == 2);
}

TEST_CASE("the failure of a silent server has the number of attempts and why they were short") {
  TestRuntime t;
  t.transport->minds_silence = true;
  t.transport->answers.push_back(silence());
  const auto result = t.run(call_of(t, CallOptions().timeout(8s)));
  REQUIRE(result.has_error());
  CHECK(t.transport->requests.size() >= 3);
  CHECK(t.seconds() <= 8);
  CHECK_THAT(result.error().message(), Contains("deadline of 8 s") &&
                                           Contains("not waited for longer, to leave time for another attempt") &&
                                           Contains(std::to_string(t.transport->requests.size()) + " attempts"));
}

TEST_CASE("the deadline of a caller that repeats its call bounds the time-outs of one call") {
  TestRuntime t;
  t.transport->minds_silence = true;
  t.transport->answers.push_back(silence());
  auto script = [](Call& call) {
    state_of(call).asked_again_until = SteadyTime(12s);
    return ask(call, HttpMethod::get);
  };
  CallOptions options = CallOptions().timeout(12s).retry(RetryPolicy().max_retries(0));
  const auto result = t.run(run_call<HttpResponse>(shared_impl_of(t.runtime), std::move(options), "test", script));
  CHECK(result.error().code() == Errc::response_timeout);
  CHECK(t.seconds() == 8);
}
