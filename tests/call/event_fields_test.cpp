// The fields of events of calls and attempts.
#include <catch2/catch.hpp>

#include "call/api_client.hpp"
#include "call/call_scope.hpp"
#include "resolvers/tpu/rules/tpu_service.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::TestRuntime;

namespace {

asio::awaitable<Result<HttpResponse>> ask_once(Call& call) {
  HttpRequest http(*Url::parse("http://api.test:8080/x?key=secret"));
  ApiRequest request(std::move(http));
  request.what = "thing";
  request.service = &tpu_service;
  request.with_token = false;
  Result<HttpResponse> response = co_await api_send(call, request);
  co_return response;
}

}  // namespace

TEST_CASE("events carry the operation, the source and the host") {
  TestRuntime t;
  t.answer(200, "hello");
  auto script = [](Call& call) { return ask_once(call); };
  REQUIRE(
      t.run(run_call<HttpResponse>(shared_impl_of(t.runtime), {}, CallSubject::of_source("tpu/p/z", "fleet_look"), script)).has_value());
  CHECK(t.log->facts == std::vector<std::string>{"call_started|fleet_look|tpu/p/z|", "attempt_started|||api.test:8080",
                                                 "attempt_finished|||api.test:8080", "call_finished|fleet_look|tpu/p/z|"});
  t.answer(200, "hello");
  REQUIRE(t.run(run_call<HttpResponse>(shared_impl_of(t.runtime), {}, "token of a service account", script)).has_value());
  REQUIRE(t.log->facts.size() == 8);
  CHECK(t.log->facts.back() == "call_finished|account||");
}
