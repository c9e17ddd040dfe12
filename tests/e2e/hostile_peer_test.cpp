// Peers with invalid answers, over real sockets: an error within the deadline, bounded memory, no leaks.
#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <catch2/catch.hpp>

#include "call/runtime_impl.hpp"
#include "net/server/http_server.hpp"
#include "rollcall/testing/fake_time.hpp"
#include "rollcall/tpu_resolver.hpp"

using namespace rollcall;
using namespace std::chrono_literals;

namespace {

using Behaviour = std::function<asio::awaitable<void>(ServerExchange&)>;

// A server and a client in one event loop. Time advances when neither has work.
class World {
 public:
  explicit World(Behaviour behaviour) : server_(io_.get_executor(), std::move(behaviour)) {
    const std::uint16_t port = server_.listen("127.0.0.1", 0).value();
    RuntimeOptions options;
    options.time = time_;
    options.random_seed = 1;
    options.environment = fixed_environment({});
    options.credentials = static_token(Secret<std::string>("very-secret-token"));
    options.network.user_agent = "test";
    Runtime runtime(io_.get_executor(), std::move(options));
    impl_ = shared_impl_of(runtime);
    TpuOptions tpu("trainer");
    tpu.project("p").zone("z").endpoint("http://127.0.0.1:" + std::to_string(port) + "/");
    resolver_ = make_tpu_resolver(runtime, std::move(tpu));
  }

  Result<ClusterSpec> ask(int retries = 1) {
    CallOptions options;
    options.timeout(30s).retry(RetryPolicy().max_retries(retries));
    std::optional<Result<ClusterSpec>> answer;
    asio::co_spawn(io_, resolver_->try_cluster_spec(options), [&](std::exception_ptr error, Result<ClusterSpec> result) {
      REQUIRE_FALSE(error);
      answer.emplace(std::move(result));
    });
    int idle = 0;
    while (!answer) {
      io_.restart();
      idle = io_.poll() == 0 ? idle + 1 : 0;
      if (idle < 20) continue;  // loopback delivers immediately, but not always within one poll
      const auto next = time_->next_alarm();
      REQUIRE(next.has_value());
      time_->advance_to(*next);
      idle = 0;
    }
    CHECK(time_->now() <= SteadyTime(30s));
    CHECK(impl_->open_operations.empty());
    if (answer->has_error()) {
      const std::string message = answer->error().message();
      INFO(message);
      CHECK(message.size() < 2000);
      CHECK(message.find("very-secret-token") == std::string::npos);
      CHECK(message.find('\x1b') == std::string::npos);
      CHECK(message.find("trainer") != std::string::npos);
    }
    return std::move(*answer);
  }
  std::uint64_t requests() const { return server_.requests(); }

 private:
  asio::io_context io_{1};
  std::shared_ptr<testing::FakeTime> time_ = std::make_shared<testing::FakeTime>();
  HttpServer server_;
  std::shared_ptr<Runtime::Impl> impl_;
  std::shared_ptr<TpuResolver> resolver_;
};

asio::awaitable<void> reply_body(ServerExchange& exchange, std::string body) {
  HttpResponse response;
  response.status = 200;
  response.headers.add("Content-Type", "application/json");
  response.body = std::move(body);
  const bool sent = co_await exchange.reply(response);
  static_cast<void>(sent);
}

asio::awaitable<void> reply_raw(ServerExchange& exchange, std::string bytes) {
  const bool sent = co_await exchange.write_raw(bytes);
  static_cast<void>(sent);
}

asio::awaitable<void> reply_endlessly(ServerExchange& exchange, std::string start, std::string again) {
  bool is_there = co_await exchange.write_raw(start);
  while (is_there) is_there = co_await exchange.write_raw(again);
}

asio::awaitable<void> say_nothing(ServerExchange& exchange, std::string start) {
  const bool sent = co_await exchange.write_raw(start);
  static_cast<void>(sent);
  co_await exchange.wait_closed();
}

Behaviour body(std::string text) {
  return [text](ServerExchange& exchange) { return reply_body(exchange, text); };
}
Behaviour raw(std::string bytes) {
  return [bytes](ServerExchange& exchange) { return reply_raw(exchange, bytes); };
}
Behaviour endless(std::string start, std::string again) {
  return [start, again](ServerExchange& exchange) { return reply_endlessly(exchange, start, again); };
}

std::string ready(std::string endpoints) { return R"({"state":"READY","networkEndpoints":[)" + endpoints + "]}"; }

asio::awaitable<void> hang_up(ServerExchange& exchange) {
  exchange.reset();
  co_return;
}

}  // namespace

TEST_CASE("unusable answers are malformed, and not retried") {
  const auto [name, text] = GENERATE(table<std::string, std::string>({
      {"READY without endpoints", R"({"state":"READY"})"},
      {"two equal endpoints", ready(R"({"ipAddress":"10.0.0.1","port":1},{"ipAddress":"10.0.0.1","port":1})")},
      {"port 0", ready(R"({"ipAddress":"10.0.0.1","port":0})")},
      {"port 70000", ready(R"({"ipAddress":"10.0.0.1","port":70000})")},
      {"not JSON", "hello"},
      {"HTML", "<!DOCTYPE html><html><title>Sign in</title></html>"},
      {"an array", "[]"},
      {"nothing", ""},
      {"invalid UTF-8", "{\"state\":\"READY\xff\"}"},
      {"JSON cut short", R"({"state":"READY","networkEnd)"},
      {"an address with an escape", ready("{\"ipAddress\":\"10.0.0.1\\u001b[31m\",\"port\":1}")},
  }));
  CAPTURE(name);
  World world(body(text));
  const auto spec = world.ask();
  REQUIRE(spec.has_error());
  CHECK(spec.error().code() == Errc::malformed_response);
  CHECK(world.requests() == 1);
}

TEST_CASE("a state with terminal escapes is shown in a safe form") {
  World world(body("{\"state\":\"\\u001b]0;owned\\u0007\\u001b[2J\"}"));
  CHECK(world.ask().error().code() == Errc::not_ready);
}

TEST_CASE("documents that are too deep or too large exceed a limit before memory is allocated") {
  SECTION("a thousand levels") {
    World world(body("{\"x\":" + std::string(1000, '[') + std::string(1000, ']') + "}"));
    CHECK(world.ask().error().code() == Errc::limit_exceeded);
  }
  SECTION("a name of 10 MB") {
    World world(body(R"({"name":")" + std::string(10'000'000, 'x') + R"(","state":"READY"})"));
    CHECK(world.ask().error().code() == Errc::limit_exceeded);
  }
  SECTION("a body without end") {
    World world(endless("HTTP/1.1 200 OK\r\n\r\n", std::string(65536, 'x')));
    CHECK(world.ask().error().code() == Errc::limit_exceeded);
  }
  SECTION("a chunked body without end") {
    World world(endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1000\r\n" + std::string(4096, 'x') + "\r\n"));
    CHECK(world.ask().error().code() == Errc::limit_exceeded);
  }
  SECTION("a header without end") {
    World world(endless("HTTP/1.1 200 OK\r\n", "X-More: " + std::string(1000, 'x') + "\r\n"));
    CHECK(world.ask().error().code() == Errc::limit_exceeded);
  }
  SECTION("a chunk extension without end") {
    World world(endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;", std::string(4096, 'x')));
    CHECK(world.ask().error().code() == Errc::limit_exceeded);
  }
}

TEST_CASE("connections that end early are retried, then reported") {
  const std::string bytes = GENERATE(as<std::string>{}, "", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", "HTTP/1.1 200 O");
  World world(raw(bytes));
  const auto spec = world.ask(2);
  REQUIRE(spec.has_error());
  CHECK(spec.error().code() == Errc::unreachable);
  CHECK(spec.error().attempts() == 3);
}

TEST_CASE("an answer that is not HTTP is malformed") {
  World world(raw("SSH-2.0-OpenSSH_9.2\r\n\r\n"));
  CHECK(world.ask().error().code() == Errc::malformed_response);
}

TEST_CASE("silence ends with a time-out that names the phase") {
  const std::string start = GENERATE(as<std::string>{}, "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab");
  World world([start](ServerExchange& exchange) { return say_nothing(exchange, start); });
  const auto spec = world.ask(0);
  REQUIRE(spec.has_error());
  CHECK(spec.error().code() == Errc::response_timeout);
  CHECK(spec.error().phase() == Phase::response);
}

TEST_CASE("a reset connection comes with a hint") {
  World world(hang_up);
  const auto spec = world.ask(0);
  REQUIRE(spec.has_error());
  CHECK(spec.error().code() == Errc::unreachable);
  CHECK(spec.error().hint().find("the server, or a proxy or firewall in between") == 0);
}
