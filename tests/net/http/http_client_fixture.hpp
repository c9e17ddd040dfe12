// A client and a server, each on a loop of its own in one thread, and a clock that moves only when the test advances it. Nothing sleeps: a
// test waits for an event by running both loops.
#pragma once

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "async/timer_queue.hpp"
#include "net/http/http_transport.hpp"
#include "net/server/http_server.hpp"
#include "rollcall/testing/fake_time.hpp"
#include "support/result.hpp"

namespace rollcall::testing {

/// One call of the client, running on its own.
class Outcome {
 public:
  std::optional<Result<HttpResponse>> result;
  asio::cancellation_signal signal;
  bool is_done() const { return result.has_value(); }
  Errc code() const { return result->has_error() ? result->error().code() : Errc{}; }
  std::string what() const { return result->has_error() ? result->error().message() : "status " + std::to_string((*result)->status); }
};
using OutcomePtr = std::shared_ptr<Outcome>;

inline asio::awaitable<void> send_into(std::shared_ptr<HttpTransport> http, HttpRequest request, ExchangeOptions options,
                                       OutcomePtr outcome) {
  std::optional<Result<HttpResponse>> result;
  try {
    result = co_await http->send(request, options);
  } catch (const std::system_error& error) {
    result = Failure(Errc::cancelled, error.what());
  }
  outcome->result = std::move(result);
}

/// Reads a stream to its end, one piece a time; the pieces' sizes go to `sizes`.
inline asio::awaitable<void> stream_into(std::shared_ptr<HttpTransport> http, HttpRequest request, ExchangeOptions options,
                                         OutcomePtr outcome, std::shared_ptr<std::vector<std::size_t>> sizes) {
  HttpResponse whole;
  std::optional<Failure> failure;
  try {
    Result<std::unique_ptr<HttpStream>> opened = co_await http->open(request, options);
    if (opened.has_error()) {
      failure = opened.error();
    } else {
      whole = (*opened)->head();
      for (bool is_over = false; !is_over;) {
        const Result<std::string_view> piece = co_await (*opened)->read();
        if (piece.has_error()) failure = piece.error();
        is_over = piece.has_error() || piece->empty();
        if (!is_over) {
          whole.body += *piece;
          sizes->push_back(piece->size());
        }
      }
    }
  } catch (const std::system_error& error) {
    failure = Failure(Errc::cancelled, error.what());
  }
  if (failure) {
    outcome->result = *failure;
  } else {
    outcome->result = std::move(whole);
  }
}

/// For co_spawn: a coroutine that is cancelled before it starts does not run at all.
inline auto ended(OutcomePtr outcome) {
  return [outcome](std::exception_ptr) {
    if (!outcome->is_done()) outcome->result = Failure(Errc::cancelled, "cancelled before the start");
  };
}

class HttpFixture {
 public:
  explicit HttpFixture(HttpServer::Handler handler, NetworkOptions options = {})
      : server(server_loop.get_executor(), std::move(handler)), time(std::make_shared<FakeTime>()),
        timers(std::make_shared<TimerQueue>(time, loop.get_executor())),
        http(make_http_transport(loop.get_executor(), timers, std::move(options))) {
    port = server.listen("127.0.0.1", 0).value();
  }
  ~HttpFixture() {
    if (http) http->close();
    server.stop();
    for (int i = 0; i < 20; ++i) turn();
  }

  HttpRequest request(std::string target = "/", std::string host = "127.0.0.1") const {
    HttpRequest made;
    made.url.host = std::move(host);
    made.url.port = port;
    made.url.target = std::move(target);
    return made;
  }

  OutcomePtr start(HttpRequest what, ExchangeOptions options = {}) {
    auto outcome = std::make_shared<Outcome>();
    auto run = send_into(http, std::move(what), options, outcome);
    asio::co_spawn(loop, std::move(run), asio::bind_cancellation_slot(outcome->signal.slot(), ended(outcome)));
    return outcome;
  }
  OutcomePtr start(std::string target, ExchangeOptions options = {}) { return start(request(std::move(target)), options); }

  OutcomePtr start_stream(HttpRequest what, ExchangeOptions options = {}) {
    auto outcome = std::make_shared<Outcome>();
    auto run = stream_into(http, std::move(what), options, outcome, sizes);
    asio::co_spawn(loop, std::move(run), asio::bind_cancellation_slot(outcome->signal.slot(), ended(outcome)));
    return outcome;
  }

  /// Lets both loops run what is ready.
  std::size_t turn() {
    loop.restart();
    server_loop.restart();
    return loop.poll() + server_loop.poll();
  }
  void until(const std::function<bool()>& happened) {
    while (!happened()) turn();
  }
  OutcomePtr finish(OutcomePtr outcome) {
    until([&] { return outcome->is_done(); });
    return outcome;
  }
  Result<HttpResponse> get(std::string target, ExchangeOptions options = {}) { return *finish(start(std::move(target), options))->result; }
  /// True if the client's loop would return from run(): nothing is pending.
  bool is_idle() {
    loop.restart();
    loop.poll();
    return loop.stopped();
  }

  asio::io_context server_loop;
  asio::io_context loop;
  HttpServer server;
  std::shared_ptr<FakeTime> time;
  std::shared_ptr<TimerQueue> timers;
  std::shared_ptr<HttpTransport> http;
  std::uint16_t port = 0;
  std::shared_ptr<std::vector<std::size_t>> sizes = std::make_shared<std::vector<std::size_t>>();
};

/// Answers every request with its own target.
inline asio::awaitable<void> echo(ServerExchange& exchange) {
  HttpResponse response;
  response.status = 200;
  response.body = exchange.request().target;
  co_await exchange.reply(response);
}

/// Sends `text` unchanged and keeps the connection open until the client closes it.
inline HttpServer::Handler raw(std::string text, bool stays_open = true) {
  return [text = std::move(text), stays_open](ServerExchange& exchange) -> asio::awaitable<void> {
    const bool is_there = co_await exchange.write_raw(text);
    if (is_there && stays_open) co_await exchange.wait_closed();
  };
}

}  // namespace rollcall::testing
