// Requests that are refused, the observer's view, and exhausted descriptors.
#include "net/http/descriptor_hoard.hpp"
#include "net/http/http_client_fixture.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

class Recorder final : public ExchangeObserver {
 public:
  std::string seen;
  void phase_started(Phase phase) noexcept override { seen += "+" + std::string(to_string(phase)) + " "; }
  void phase_finished(Phase phase) noexcept override { seen += "-" + std::string(to_string(phase)) + " "; }
  void connection_chosen(bool is_reused) noexcept override { seen += is_reused ? "reused " : "new "; }
};

HttpServer::Handler reset_second() {
  auto count = std::make_shared<int>(0);
  return [count](ServerExchange& exchange) -> asio::awaitable<void> {
    if (++*count == 2) {
      exchange.reset();
      co_return;
    }
    co_await echo(exchange);
  };
}

}  // namespace

TEST_CASE("a forbidden request opens no connection") {
  HttpFixture net(echo);
  HttpRequest request = net.request("/", "metadata.google.internal");
  request.bearer = Secret<std::string>("ya29.token");
  const auto refused = net.finish(net.start(request));
  CHECK(refused->code() == Errc::refused_by_policy);
  CHECK_THAT(refused->what(), !Catch::Contains("ya29"));
  request = net.request("/a\r\nX: y");
  CHECK(net.finish(net.start(request))->code() == Errc::invalid_argument);
  CHECK(net.finish(net.start_stream(request))->code() == Errc::invalid_argument);
  CHECK(net.server.connections_accepted() == 0);
}

TEST_CASE("the token and the body arrive") {
  std::string seen;
  auto handler = [&seen](ServerExchange& exchange) -> asio::awaitable<void> {
    const ServerRequest& request = exchange.request();
    seen = request.method + " " + std::string(request.headers.get("authorization").value_or("")) + " " +
           std::string(request.headers.get("accept-encoding").value_or("")) + " " + std::to_string(request.body.size());
    co_await echo(exchange);
  };
  HttpFixture net(handler);
  HttpRequest request = net.request("/");
  request.method = HttpMethod::post;
  request.body.assign(4'000'000, 'b');  // more than the socket accepts at once
  request.bearer = Secret<std::string>("t0ken");
  CHECK(net.finish(net.start(request))->result->has_value());
  CHECK(seen == "POST Bearer t0ken gzip 4000000");
}

TEST_CASE("an observer sees the phases") {
  HttpFixture net(reset_second());
  Recorder recorder;
  ExchangeOptions options;
  options.observer = &recorder;
  CHECK(net.get("/", options).has_value());
  CHECK_THAT(recorder.seen, Catch::StartsWith("new +"));
  CHECK_THAT(recorder.seen, Catch::EndsWith("+connect -connect +response -response "));
  recorder.seen.clear();
  CHECK(net.get("/", options).has_value());
  CHECK_THAT(recorder.seen, Catch::StartsWith("reused +response -response new "));
  recorder.seen.clear();
  CHECK(net.finish(net.start_stream(net.request(), options))->result->has_value());
  CHECK(recorder.seen == "reused +response -response ");
}

TEST_CASE("out of descriptors: an idle connection makes room") {
  HttpFixture net(echo);
  CHECK(net.finish(net.start(net.request("/", "localhost")))->result->has_value());
  CHECK(net.is_idle());
  std::optional<DescriptorHoard> hoard(std::in_place, net.loop);
  const OutcomePtr outcome = net.start("/");
  for (int i = 0; i < 100'000 && !outcome->is_done(); ++i) {
    net.turn();
    if (const auto next = net.time->next_alarm(); next && *next < SteadyTime(std::chrono::seconds(1))) net.time->advance_to(*next);
  }
  hoard.reset();
  REQUIRE(outcome->is_done());
  CHECK(outcome->result->has_value());
}
