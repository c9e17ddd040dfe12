// Requests that must not be processed twice, on sockets: through the transport, and through a Runtime's retries.
#include "net/http/http_client_fixture.hpp"

#include "call/call_scope.hpp"
#include "rollcall/call.hpp"
#include "rollcall/runtime.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// Answers GETs; accepts everything else and closes, as a worker does that restarts because of it.
HttpServer::Handler takes_orders(std::shared_ptr<std::vector<std::string>> taken) {
  return [taken](ServerExchange& exchange) -> asio::awaitable<void> {
    const std::string method = exchange.request().method;
    taken->push_back(method);
    if (method == "GET" && exchange.request().target != "/lost") {
      co_await echo(exchange);
    } else {
      exchange.reset();
    }
  };
}

asio::awaitable<Result<HttpResponse>> fetch_once(Call& call, HttpRequest request) {
  Result<HttpResponse> answer = co_await call.fetch(std::move(request));
  co_return answer;
}

Result<HttpResponse> run(HttpFixture& net, const Runtime& runtime, HttpRequest request) {
  const auto max_pause = std::chrono::milliseconds(100);
  auto script = [request](Call& call) { return fetch_once(call, request); };
  const CallOptions options = CallOptions().retry(RetryPolicy().max_delay(max_pause));
  std::optional<Result<HttpResponse>> result;
  asio::co_spawn(net.loop, run_call<HttpResponse>(shared_impl_of(runtime), options, "test", script),
                 [&result](std::exception_ptr, Result<HttpResponse> answer) { result.emplace(std::move(answer)); });
  while (!result) {
    if (net.turn() > 0) continue;
    // Time advances only in the pauses between attempts: an idle loop may have a socket whose event is on its way.
    const auto next = net.time->next_alarm();
    if (next && *next <= net.time->now() + max_pause) net.time->advance_to(*next);
  }
  return *result;
}

Runtime runtime_on(HttpFixture& net) {
  RuntimeOptions options;
  options.http = net.http;
  options.time = net.time;
  options.environment = fixed_environment({});
  return Runtime(net.loop.get_executor(), std::move(options));
}

}  // namespace

TEST_CASE("a non-repeatable request whose answer is lost arrives once, on a new connection and on a kept one") {
  const HttpMethod method = GENERATE(HttpMethod::post, HttpMethod::put, HttpMethod::delete_);
  const bool is_kept = GENERATE(false, true);
  const auto taken = std::make_shared<std::vector<std::string>>();
  HttpFixture net(takes_orders(taken));
  const Runtime runtime = runtime_on(net);
  if (is_kept) {
    REQUIRE(run(net, runtime, net.request("/first")).has_value());
    taken->clear();
  }
  HttpRequest order = net.request("/order");
  order.method = method;
  const auto result = run(net, runtime, order);
  check_failure(result, Errc::unreachable, "(not sent again, because it may have been carried out)");
  CHECK(*taken == std::vector<std::string>{std::string(to_string(method))});
}

TEST_CASE("a GET whose answer is lost is sent again, and so is a repeatable POST") {
  const auto taken = std::make_shared<std::vector<std::string>>();
  HttpFixture net(takes_orders(taken));
  const Runtime runtime = runtime_on(net);
  HttpRequest question = net.request("/lost");
  SECTION("GET") {}
  SECTION("POST") {
    question.method = HttpMethod::post;
    question.is_repeatable = true;
  }
  CHECK(run(net, runtime, question).has_error());
  CHECK(taken->size() == 11);
}

TEST_CASE("an unsent non-repeatable request is sent on a new connection when the kept one is closed") {
  // The server closes after its answer. The check of the idle connection detects this, so that it is not used.
  const auto taken = std::make_shared<std::vector<std::string>>();
  HttpFixture net([taken](ServerExchange& exchange) -> asio::awaitable<void> {
    taken->push_back(exchange.request().method);
    co_await exchange.write_raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  for (int i = 0; i < 3; ++i) {
    HttpRequest order = net.request("/order");
    order.method = HttpMethod::post;
    CHECK(net.finish(net.start(order))->result->has_value());
    net.until([&] { return net.server.connections_open() == 0; });
  }
  CHECK(taken->size() == 3);
}
