// Requests that begin together, and answers that arrive together, are processed a few per turn of the loop.
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <catch2/catch.hpp>
#include <deque>
#include <string>
#include <vector>

#include "net/http/early_read.hpp"
#include "net/http/http_client_fixture.hpp"
#include "net/http/http_exchange.hpp"
#include "net/socket/loop_throttle.hpp"
#include "rollcall/time_source.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

constexpr int steps_per_turn = HttpCore::steps_per_turn;

class Begun final : public ExchangeObserver {
 public:
  int count = 0;
  void phase_started(Phase) noexcept override {}
  void phase_finished(Phase) noexcept override {}
  void connection_chosen(bool) noexcept override { ++count; }
};

// In chunks, each some turns of the loop after the one before; the target has their number.
asio::awaitable<void> answer_slowly(ServerExchange& exchange) {
  const std::string target = exchange.request().target;
  if (target == "/never") {
    co_await exchange.wait_closed();
    co_return;
  }
  const int turns = std::stoi(target.substr(1)) % 5;
  HttpResponse head;
  head.status = 200;
  co_await exchange.start_chunks(head);
  for (const std::string_view part : {std::string_view(target), std::string_view(" is answered"), std::string_view(" in parts")}) {
    for (int i = 0; i < turns; ++i) co_await next_turn();
    co_await exchange.write_chunk(part);
  }
  co_await exchange.end_chunks();
}

}  // namespace

TEST_CASE("a fixed number in a turn, and as many in the next") {
  asio::io_context io(1);
  constexpr int per_turn = 8;
  const auto throttle = std::make_shared<LoopThrottle>(io.get_executor(), per_turn);
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < per_turn; ++i) CHECK(throttle->admits());
    CHECK_FALSE(throttle->admits());
    CHECK_FALSE(throttle->admits());
    io.restart();
    io.poll();
  }
  io.restart();
  CHECK(io.poll() == 0);  // nothing of it is left
}

TEST_CASE("a new exchange does not overtake waiting ones") {
  asio::io_context io(1);
  const auto throttle = std::make_shared<LoopThrottle>(io.get_executor(), 2);
  AsyncEvent event;
  std::deque<LoopThrottle::Ticket> tickets;
  for (int i = 0; i < 3; ++i) throttle->enter(tickets.emplace_back(event));
  io.run_one();
  CHECK(tickets.back().is_granted());
  CHECK(throttle->admits());
  throttle->enter(tickets.emplace_back(event));
  CHECK_FALSE(tickets.back().is_granted());
  tickets.pop_back();
  throttle->enter(tickets.emplace_back(event));
  CHECK_FALSE(throttle->admits());
  io.run();
  CHECK(tickets.back().is_granted());
}

TEST_CASE("too few for a turn of their own cost the loop nothing") {
  asio::io_context io(1);
  const auto throttle = std::make_shared<LoopThrottle>(io.get_executor(), 8);
  for (int i = 0; i < 3; ++i) CHECK(throttle->admits());
  CHECK(io.poll() == 0);
}

TEST_CASE("requests that come together begin a few per turn, and all of them end") {
  asio::io_context io(1);
  const auto timers = std::make_shared<TimerQueue>(system_time(), io.get_executor());
  const auto transport = make_http_transport(io.get_executor(), timers, NetworkOptions());
  const HttpRequest request(Url::parse("http://127.0.0.1:1/").value());  // no server listens
  Begun begun;
  ExchangeOptions options;
  options.observer = &begun;
  constexpr int together = 3 * steps_per_turn;
  int ended = 0;
  for (int i = 0; i < together; ++i) {
    asio::co_spawn(io, transport->send(request, options), [&ended](std::exception_ptr error, Result<HttpResponse> response) {
      if (!error && response.has_error() && response.error().code() == Errc::unreachable) ++ended;
    });
  }
  int in_first_turn = 0;
  asio::post(io, [&] { in_first_turn = begun.count; });
  io.run();
  CHECK(in_first_turn == steps_per_turn);
  CHECK(ended == together);
}

TEST_CASE("after two early reads without data they become rare, until one finds data") {
  EarlyRead early_read;
  for (int i = 0; i < 3; ++i) {
    CHECK(early_read.should_try());
    early_read.note_result(true);
  }
  early_read.note_result(false);
  CHECK(early_read.should_try());
  early_read.note_result(false);
  CHECK_FALSE(early_read.should_try());
  int looks = 0;
  for (int i = 0; i < 160; ++i) {
    if (!early_read.should_try()) continue;
    ++looks;
    early_read.note_result(false);
  }
  CHECK(looks == 10);
  early_read.note_result(true);
  CHECK(early_read.should_try());
}

// While so many wait for their turn, each tries an early read of its answer before it waits for it.
TEST_CASE("answers that come late, in parts, or not at all, while the loop is busy") {
  HttpFixture net(answer_slowly);
  constexpr int together = 4 * steps_per_turn;
  for (int round = 0; round < 4; ++round) {
    std::vector<OutcomePtr> all;
    for (int i = 0; i < together; ++i) all.push_back(net.start("/" + std::to_string(i * 7 + round)));
    for (int i = 0; i < together; ++i) {
      INFO(net.finish(all[static_cast<std::size_t>(i)])->what());
      CHECK(all[static_cast<std::size_t>(i)]->result->value().body == "/" + std::to_string(i * 7 + round) + " is answered in parts");
    }
  }
  CHECK(net.server.connections_accepted() == together);  // each was kept
  std::vector<OutcomePtr> silent;
  std::vector<OutcomePtr> others;
  for (int i = 0; i < together; ++i) (i % 2 == 0 ? silent : others).push_back(net.start(i % 2 == 0 ? "/never" : "/3"));
  for (const OutcomePtr& one : others) CHECK(net.finish(one)->result->has_value());
  for (const OutcomePtr& one : silent) {
    CHECK_FALSE(one->is_done());
    one->signal.emit(asio::cancellation_type::terminal);
  }
  for (const OutcomePtr& one : silent) CHECK(net.finish(one)->code() == Errc::cancelled);
  net.until([&] { return net.server.connections_open() == together / 2; });
  CHECK(net.is_idle());
}

TEST_CASE("a request that is cancelled before its turn is not sent") {
  HttpFixture net(echo);
  constexpr int together = 3 * steps_per_turn;
  std::vector<OutcomePtr> first;
  for (int i = 0; i < together; ++i) first.push_back(net.start("/"));
  for (const OutcomePtr& one : first) CHECK(net.finish(one)->result->has_value());
  REQUIRE(net.server.connections_open() == together);  // which the next ones could use at once
  std::vector<OutcomePtr> second;
  for (int i = 0; i < together; ++i) second.push_back(net.start("/"));
  asio::post(net.loop, [&second] {
    for (const OutcomePtr& one : second) one->signal.emit(asio::cancellation_type::terminal);
  });
  for (const OutcomePtr& one : second) CHECK(net.finish(one)->code() == Errc::cancelled);
  net.until([&] { return net.server.connections_open() <= together - steps_per_turn; });
  CHECK(net.server.connections_open() == together - steps_per_turn);
}
