// Requests that begin together, and answers that arrive together, are taken a few per turn of the loop.
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <catch2/catch.hpp>

#include "http_client_fixture.hpp"
#include "net/http_core.hpp"
#include "rollcall/time_source.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

class Begun final : public ExchangeObserver {
 public:
  int count = 0;
  void phase_started(Phase) noexcept override {}
  void phase_finished(Phase) noexcept override {}
  void connection_chosen(bool) noexcept override { ++count; }
};

}  // namespace

TEST_CASE("so many steps in a turn, and as many again in the next") {
  asio::io_context io(1);
  const auto timers = std::make_shared<TimerQueue>(system_time(), io.get_executor());
  const auto core = std::make_shared<HttpCore>(io.get_executor(), timers, NetworkOptions());
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < HttpCore::steps_per_turn; ++i) CHECK(core->admits_step());
    CHECK_FALSE(core->admits_step());
    CHECK_FALSE(core->admits_step());
    io.restart();
    io.poll();
  }
  io.restart();
  CHECK(io.poll() == 0);  // nothing of it is left
}

TEST_CASE("requests that come together begin a few per turn, and all of them end") {
  asio::io_context io(1);
  const auto timers = std::make_shared<TimerQueue>(system_time(), io.get_executor());
  const auto transport = make_http_transport(io.get_executor(), timers, NetworkOptions());
  const HttpRequest request(Url::parse("http://127.0.0.1:1/").value());  // nobody listens
  Begun begun;
  ExchangeOptions options;
  options.observer = &begun;
  constexpr int together = 3 * HttpCore::steps_per_turn;
  int ended = 0;
  for (int i = 0; i < together; ++i) {
    asio::co_spawn(io, transport->send(request, options), [&ended](std::exception_ptr error, Result<HttpResponse> response) {
      if (!error && response.has_error() && response.error().code() == Errc::unreachable) ++ended;
    });
  }
  int in_first_turn = 0;
  asio::post(io, [&] { in_first_turn = begun.count; });
  io.run();
  CHECK(in_first_turn == HttpCore::steps_per_turn);
  CHECK(ended == together);
}

TEST_CASE("a request that is cancelled before its turn is not sent") {
  HttpFixture net(echo);
  constexpr int together = 3 * HttpCore::steps_per_turn;
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
  net.until([&] { return net.server.connections_open() <= together - HttpCore::steps_per_turn; });
  CHECK(net.server.connections_open() == together - HttpCore::steps_per_turn);
}
