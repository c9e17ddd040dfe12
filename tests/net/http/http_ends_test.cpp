// Exchanges that end early: time-outs, cancellation, close(), a loop that is destroyed.
#include <asio/ip/udp.hpp>
#include <random>

#include "async/async_event.hpp"
#include "net/http/http_client_fixture.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using std::chrono::nanoseconds;
using std::chrono::seconds;

namespace {

asio::awaitable<void> silent(ServerExchange& exchange) { co_await exchange.wait_closed(); }

// Writes one piece for each call of the test.
class Pieces {
 public:
  AsyncEvent next;
  std::vector<std::string> left;
  std::size_t written = 0;
  HttpServer::Handler handler() {
    return [this](ServerExchange& exchange) -> asio::awaitable<void> {
      for (const std::string& piece : left) {
        co_await next.wait();
        co_await exchange.write_raw(piece);
        ++written;
      }
      co_await exchange.wait_closed();
    };
  }
  void write_one(HttpFixture& net) {
    const std::size_t before = written;
    next.wake();
    net.until([&] { return written > before; });
    for (int i = 0; i < 3; ++i) net.turn();
  }
};

}  // namespace

TEST_CASE("a server that does not answer") {
  HttpFixture net(silent);
  const OutcomePtr outcome = net.start("/path");
  net.until([&] { return net.server.requests() == 1; });
  net.time->advance(seconds(20) - nanoseconds(1));
  for (int i = 0; i < 5; ++i) net.turn();
  CHECK_FALSE(outcome->is_done());
  net.time->advance(nanoseconds(1));
  net.finish(outcome);
  CHECK(outcome->code() == Errc::response_timeout);
  CHECK(outcome->result->error().phase() == Phase::response);
  CHECK_THAT(outcome->what(), Catch::Contains("did not answer") && Catch::Contains("/path"));
  CHECK(net.is_idle());
  net.until([&] { return net.server.connections_open() == 0; });
}

TEST_CASE("a slow server is waited for as long as it makes progress, up to the deadline") {
  Pieces pieces;
  pieces.left = {"HTTP/1.1 200 OK\r\n", "Content-Length: 3\r\n\r\n", "a", "b", "c"};
  HttpFixture net(pieces.handler());
  SECTION("no deadline") {
    const OutcomePtr outcome = net.start("/");
    net.until([&] { return net.server.requests() == 1; });
    for (std::size_t i = 0; i < pieces.left.size(); ++i) {
      net.time->advance(seconds(19));
      pieces.write_one(net);
    }
    CHECK(net.finish(outcome)->result->value().body == "abc");
  }
  SECTION("it falls silent") {
    const OutcomePtr outcome = net.start("/");
    net.until([&] { return net.server.requests() == 1; });
    for (std::size_t i = 0; i < 3; ++i) {
      net.time->advance(seconds(19));
      pieces.write_one(net);
    }
    net.time->advance(seconds(20) - nanoseconds(1));
    for (int i = 0; i < 5; ++i) net.turn();
    CHECK_FALSE(outcome->is_done());
    net.time->advance(nanoseconds(1));
    CHECK(net.finish(outcome)->code() == Errc::response_timeout);
    CHECK_THAT(outcome->what(), Catch::Contains("stopped answering"));
  }
  SECTION("a deadline") {
    ExchangeOptions options;
    options.deadline = SteadyTime(seconds(50));
    const OutcomePtr outcome = net.start("/", options);
    net.until([&] { return net.server.requests() == 1; });
    for (std::size_t i = 0; i < 2; ++i) {
      net.time->advance(seconds(19));
      pieces.write_one(net);
    }
    net.time->advance_to(options.deadline - nanoseconds(1));
    for (int i = 0; i < 5; ++i) net.turn();
    CHECK_FALSE(outcome->is_done());
    net.time->advance(nanoseconds(1));
    CHECK(net.finish(outcome)->code() == Errc::deadline_exceeded);
    CHECK(net.get("/", options).error().code() == Errc::deadline_exceeded);
  }
}

TEST_CASE("a deadline passes while waiting for a connection") {
  NetworkOptions network;
  network.max_connections_per_host = 1;
  HttpFixture net(silent, network);
  ExchangeOptions options;
  options.deadline = SteadyTime(seconds(5));
  const OutcomePtr first = net.start("/");
  net.until([&] { return net.server.requests() == 1; });
  const OutcomePtr second = net.start("/", options);
  for (int i = 0; i < 5; ++i) net.turn();
  net.time->advance(seconds(5));
  CHECK(net.finish(second)->code() == Errc::deadline_exceeded);
  CHECK(second->result->error().phase() == Phase::overall);
  CHECK_FALSE(first->is_done());
  CHECK(net.server.connections_accepted() == 1);
}

TEST_CASE("cancellation ends an exchange wherever it is") {
  NetworkOptions network;
  network.max_connections_per_host = 1;
  asio::io_context dns_loop;
  asio::ip::udp::socket dns(dns_loop, asio::ip::udp::endpoint(asio::ip::make_address("127.0.0.1"), 0));  // accepts requests, never answers
  network.dns_servers = {"127.0.0.1:" + std::to_string(dns.local_endpoint().port())};
  HttpFixture net(silent, network);
  const OutcomePtr answering = net.start("/");
  net.until([&] { return net.server.requests() == 1; });
  const OutcomePtr queueing = net.start("/");
  const OutcomePtr resolving = net.start(net.request("/", "mute.example"));
  for (int i = 0; i < 5; ++i) net.turn();
  REQUIRE_FALSE((answering->is_done() || queueing->is_done() || resolving->is_done()));
  const std::vector<OutcomePtr> all{answering, queueing, resolving};
  SECTION("by the caller") {
    for (const auto& one : all) one->signal.emit(asio::cancellation_type::terminal);
  }
  SECTION("by close()") { net.http->close(); }
  for (const auto& one : all) CHECK(net.finish(one)->code() == Errc::cancelled);
  CHECK(net.is_idle());
  CHECK(net.time->alarms() == 0);
  net.until([&] { return net.server.connections_open() == 0; });
}

TEST_CASE("ten thousand random cancellations leave nothing behind") {
  // Some are answered at once, some in pieces, some never; connections are few, so that most wait in the queue.
  auto handler = [](ServerExchange& exchange) -> asio::awaitable<void> {
    const std::string target = exchange.request().target;
    if (target == "/silent") {
      co_await exchange.wait_closed();
    } else if (target == "/reset") {
      exchange.reset();
    } else if (target == "/close") {
      co_await exchange.write_raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n/cl");
    } else {
      co_await echo(exchange);
    }
  };
  NetworkOptions network;
  network.max_connections_per_host = 4;
  HttpFixture net(handler, network);
  std::mt19937 random(20240611);
  const std::vector<std::string> targets{"/a", "/b", "/c", "/silent", "/reset", "/close"};
  std::vector<OutcomePtr> pending;
  int cancelled = 0;
  int finished = 0;
  while (cancelled < 10'000) {
    while (pending.size() < 24) {
      ExchangeOptions options;
      if (random() % 4 == 0) options.deadline = net.timers->now() + std::chrono::milliseconds(random() % 50);
      HttpRequest request = net.request(targets[random() % targets.size()], random() % 3 ? "127.0.0.1" : "localhost");
      pending.push_back(random() % 4 ? net.start(request, options) : net.start_stream(request, options));
    }
    const std::size_t polls = random() % 4;
    for (std::size_t i = 0; i < polls; ++i) {
      net.loop.restart();
      net.loop.poll_one();
      if (random() % 2) net.turn();
    }
    if (random() % 8 == 0) net.time->advance(std::chrono::milliseconds(random() % 20));
    for (std::size_t i = 0; i < 6; ++i) {
      const OutcomePtr one = pending[random() % pending.size()];
      if (one->is_done()) continue;
      one->signal.emit(asio::cancellation_type::terminal);
      ++cancelled;
    }
    finished += static_cast<int>(std::erase_if(pending, [](const OutcomePtr& one) { return one->is_done(); }));
  }
  for (const OutcomePtr& one : pending) one->signal.emit(asio::cancellation_type::terminal);
  for (const OutcomePtr& one : pending) net.finish(one);
  CHECK(finished > 5000);
  CHECK(net.is_idle());
  CHECK(net.time->alarms() == 0);
  // All places are free again.
  std::vector<OutcomePtr> last;
  for (int i = 0; i < 8; ++i) last.push_back(net.start("/last"));
  for (const auto& one : last) CHECK(net.finish(one)->result->value().body == "/last");
  CHECK(net.is_idle());
  net.http->close();
  net.until([&] { return net.server.connections_open() == 0; });
}

TEST_CASE("a destroyed loop ends everything") {
  asio::io_context server_loop;
  HttpServer server(server_loop.get_executor(), silent);
  const std::uint16_t port = server.listen("127.0.0.1", 0).value();
  for (const int turns : {0, 1, 2, 3, 5, 8, 20}) {
    const auto time = std::make_shared<FakeTime>();
    auto loop = std::make_unique<asio::io_context>();
    auto timers = std::make_shared<TimerQueue>(time, loop->get_executor());
    NetworkOptions network;
    network.max_connections_per_host = 3;
    auto http = make_http_transport(loop->get_executor(), timers, network);
    HttpRequest request;
    request.url.host = "127.0.0.1";
    request.url.port = port;
    std::vector<OutcomePtr> all;
    for (int i = 0; i < 8; ++i) {
      all.push_back(std::make_shared<Outcome>());
      auto run = send_into(http, request, {}, all.back());
      asio::co_spawn(*loop, std::move(run), asio::detached);
    }
    for (int i = 0; i < turns; ++i) {
      loop->poll_one();
      server_loop.poll();
    }
    http.reset();
    timers.reset();
    loop.reset();
    for (const auto& one : all) CHECK_FALSE(one->is_done());
  }
  server.stop();
  server_loop.poll();
}
