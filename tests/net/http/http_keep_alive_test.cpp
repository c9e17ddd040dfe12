// Connections are kept, used again, closed; a stale one costs only time.
#include "net/http/http_client_fixture.hpp"

#include "net/http/http_exchange.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// Answers, but resets the connection for the requests whose numbers (from 1) are listed.
HttpServer::Handler reset_at(std::vector<int> numbers) {
  auto count = std::make_shared<int>(0);
  return [numbers, count](ServerExchange& exchange) -> asio::awaitable<void> {
    ++*count;
    if (std::find(numbers.begin(), numbers.end(), *count) != numbers.end()) {
      exchange.reset();
      co_return;
    }
    co_await echo(exchange);
  };
}

}  // namespace

TEST_CASE("one connection serves one request after another") {
  HttpFixture net(echo);
  for (int i = 0; i < 10; ++i) {
    const auto answer = net.get("/n" + std::to_string(i));
    REQUIRE(answer.has_value());
    CHECK(answer->status == 200);
    CHECK(answer->body == "/n" + std::to_string(i));
  }
  CHECK(net.server.connections_accepted() == 1);
  CHECK(net.is_idle());  // an idle connection does not keep the loop running
  CHECK(net.server.connections_open() == 1);
  CHECK(net.time->alarms() == 0);
  net.http->close();
  net.until([&] { return net.server.connections_open() == 0; });
  CHECK(net.get("/").error().code() == Errc::cancelled);
}

TEST_CASE("a connection with small segments serves no request without, nor the other way") {
  HttpFixture net(echo);
  ExchangeOptions small;
  small.max_segment = 1200;
  for (int i = 0; i < 3; ++i) {
    CHECK(net.get("/", small).has_value());
    CHECK(net.get("/").has_value());
  }
  CHECK(net.server.connections_accepted() == 2);
  ExchangeOptions impossible;
  impossible.max_segment = 1 << 20;
  const Result<HttpResponse> refused = net.get("/", impossible);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code() == Errc::unreachable);
  CHECK(refused.error().what().find("Invalid argument") != std::string::npos);
}

TEST_CASE("a handler can ask how its sending was held up") {
  Duration busy{0};
  HttpFixture net([&busy](ServerExchange& exchange) -> asio::awaitable<void> {
    co_await echo(exchange);
    busy = exchange.sending_times().busy;
  });
  CHECK(net.get("/").has_value());
  CHECK(busy >= Duration::zero());
}

TEST_CASE("idle connections have a maximum age and number") {
  NetworkOptions options;
  options.max_idle_connections_per_host = 2;
  HttpFixture net(echo, options);
  std::vector<OutcomePtr> all;
  for (int i = 0; i < 5; ++i) all.push_back(net.start("/"));
  for (const auto& one : all) CHECK(net.finish(one)->result->has_value());
  CHECK(net.server.connections_accepted() == 5);
  net.until([&] { return net.server.connections_open() == 2; });
  net.time->advance(options.max_idle_time - std::chrono::nanoseconds(1));
  CHECK(net.get("/").has_value());
  CHECK(net.server.connections_accepted() == 5);
  net.time->advance(options.max_idle_time);
  CHECK(net.get("/").has_value());
  CHECK(net.server.connections_accepted() == 6);
  net.until([&] { return net.server.connections_open() == 1; });
}

TEST_CASE("idle connections of an unused host are closed") {
  HttpFixture net(echo);
  CHECK(net.finish(net.start(net.request("/", "localhost")))->result->has_value());
  CHECK(net.get("/").has_value());
  CHECK(net.server.connections_open() == 2);
  net.time->advance(std::chrono::seconds(54));
  CHECK(net.get("/").has_value());
  CHECK(net.server.connections_open() == 2);
  net.time->advance(std::chrono::seconds(54));
  CHECK(net.get("/").has_value());
  net.until([&] { return net.server.connections_open() == 1; });
}

TEST_CASE("a connection that was closed while idle is not used") {
  HttpFixture net(raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", false));
  for (int i = 0; i < 3; ++i) {
    CHECK(net.get("/").value().body == "ok");
    net.until([&] { return net.server.connections_open() == 0; });
  }
  CHECK(net.server.connections_accepted() == 3);
}

TEST_CASE("a stale connection is replaced once, for requests that may be sent twice") {
  SECTION("GET") {
    HttpFixture net(reset_at({2}));
    CHECK(net.get("/a").has_value());
    CHECK(net.get("/b").value().body == "/b");
    CHECK(net.server.requests() == 3);
    CHECK(net.server.connections_accepted() == 2);
  }
  SECTION("GET, and the fresh one breaks too") {
    HttpFixture net(reset_at({2, 3}));
    CHECK(net.get("/a").has_value());
    const auto answer = net.get("/b");
    REQUIRE(answer.has_error());
    CHECK(answer.error().code() == Errc::unreachable);
    CHECK(answer.error().phase() == Phase::response);
    CHECK(net.server.requests() == 3);
  }
  SECTION("POST") {
    HttpFixture net(reset_at({2}));
    CHECK(net.get("/a").has_value());
    HttpRequest post = net.request("/b");
    post.method = HttpMethod::post;
    CHECK(net.finish(net.start(post))->code() == Errc::unreachable);
    CHECK(net.server.requests() == 2);
  }
  SECTION("a fresh connection that breaks is a failure") {
    HttpFixture net(reset_at({1}));
    CHECK(net.get("/a").error().code() == Errc::unreachable);
    CHECK(net.server.requests() == 1);
  }
}

TEST_CASE("a connection is not kept when the answer says so or is not the end") {
  for (const char* text :
       {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"}) {
    HttpFixture net(raw(text));
    for (int i = 1; i <= 2; ++i) {
      CHECK(net.get("/").value().body == "ok");
      CHECK(net.server.connections_accepted() == static_cast<std::uint64_t>(i));
      net.until([&] { return net.server.connections_open() == 0; });
    }
  }
}

TEST_CASE("a thousand requests share 64 connections, first come first served") {
  HttpFixture net(echo);
  std::vector<OutcomePtr> all;
  for (int i = 0; i < 1000; ++i) all.push_back(net.start("/" + std::to_string(i)));
  for (int i = 0; i < 1000; ++i) {
    const OutcomePtr outcome = net.finish(all[static_cast<std::size_t>(i)]);
    REQUIRE(outcome->result->has_value());
    CHECK((*outcome->result)->body == "/" + std::to_string(i));
  }
  CHECK(net.server.connections_accepted() == 64);
  CHECK(net.is_idle());
}
