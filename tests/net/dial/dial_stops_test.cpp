// Each phase of a dial stopped by its own time-out, by the deadline, by the caller and by the end of the loop, with real peers that cause
// the wait. Time is virtual.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "net/dial/dial_fixture.hpp"
#include "support/dns_server.hpp"
#include "support/peers.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

class PhaseLog final : public ExchangeObserver {
 public:
  void phase_started(Phase phase) noexcept override { text += fmt::format("+{} ", to_string(phase)); }
  void phase_finished(Phase phase) noexcept override { text += fmt::format("-{} ", to_string(phase)); }
  void connection_chosen(bool) noexcept override {}
  std::string text;
};

// A silent DNS server, a full backlog, a mute TLS peer.
class Peers {
 public:
  explicit Peers(asio::io_context& io) : dns(io) { dns.name("silent.test").silent(); }
  std::string url(Phase phase) const {
    switch (phase) {
      case Phase::resolve: return "https://silent.test/";
      case Phase::connect: return fmt::format("https://127.0.0.1:{}/", full.port());
      default: return fmt::format("https://127.0.0.1:{}/", mute.port());
    }
  }
  DnsServer dns;
  FullPeer full;
  MutePeer mute;
};

Errc own_timeout(Phase phase) {
  switch (phase) {
    case Phase::resolve: return Errc::resolve_timeout;
    case Phase::connect: return Errc::connect_timeout;
    default: return Errc::handshake_timeout;
  }
}

// A dial to these peers, and its observed phases.
class HangingDial {
 public:
  HangingDial() : peers(fixture.io) {
    fixture.network.dns_servers = {peers.dns.where()};
    fixture.options.observer = &log;
  }
  // Seen from outside: the query has arrived, or the phase has begun and the loop is idle.
  std::shared_ptr<DialOutcome> start_until_it_hangs(Phase phase) {
    auto outcome = fixture.start(peers.url(phase));
    const std::string begun = fmt::format("+{} ", to_string(phase));
    fixture.run_until([&] { return log.text.find(begun) != std::string::npos && (phase != Phase::resolve || peers.dns.queries() >= 2); });
    poll();
    return outcome;
  }
  void poll() {
    fixture.io.restart();
    fixture.io.poll();
  }
  PhaseLog log;  // outlives the loop, whose end ends the dial
  DialFixture fixture;
  Peers peers;
};

}  // namespace

TEST_CASE("each phase of a dial has its own time-out") {
  const Phase phase = GENERATE(Phase::resolve, Phase::connect, Phase::handshake);
  CAPTURE(to_string(phase));
  HangingDial dial;
  dial.fixture.options.resolve_timeout = std::chrono::seconds(3);
  dial.fixture.options.connect_timeout = std::chrono::seconds(4);
  dial.fixture.options.handshake_timeout = std::chrono::seconds(5);
  const int expected = phase == Phase::resolve ? 3 : phase == Phase::connect ? 4 : 5;
  const auto outcome = dial.start_until_it_hangs(phase);
  CHECK_FALSE(outcome->is_done());
  dial.fixture.time->advance(std::chrono::seconds(expected) - std::chrono::nanoseconds(1));
  dial.poll();
  CHECK_FALSE(outcome->is_done());
  dial.fixture.time->advance(std::chrono::nanoseconds(1));
  dial.poll();
  REQUIRE(outcome->is_done());
  const Failure failure = outcome->failure();
  CHECK(failure.code() == own_timeout(phase));
  CHECK(failure.phase() == phase);
  CHECK(failure.what().find(fmt::format("took longer than {}s", expected)) != std::string::npos);
  CHECK(dial.log.text.ends_with(fmt::format("+{0} -{0} ", to_string(phase))));
  CHECK(dial.fixture.time->alarms() == 0);
}

TEST_CASE("the deadline ends a dial in any phase, as itself") {
  const Phase phase = GENERATE(Phase::resolve, Phase::connect, Phase::handshake);
  const bool has_timeouts = GENERATE(true, false);
  CAPTURE(to_string(phase), has_timeouts);
  HangingDial dial;
  dial.fixture.options.deadline = dial.fixture.time->now() + std::chrono::seconds(1);
  if (!has_timeouts) {
    dial.fixture.options.resolve_timeout = dial.fixture.options.connect_timeout = dial.fixture.options.handshake_timeout = Duration::zero();
  }
  const auto outcome = dial.start_until_it_hangs(phase);
  dial.fixture.advance_until([&] { return outcome->is_done(); });
  CHECK(dial.fixture.time->now() == dial.fixture.options.deadline);
  CHECK(outcome->failure().code() == Errc::deadline_exceeded);
  CHECK(outcome->failure().phase() == phase);
}

TEST_CASE("a dial whose deadline has passed does nothing") {
  DialFixture fixture;
  MutePeer peer;
  fixture.time->advance(std::chrono::seconds(1));
  fixture.options.deadline = fixture.time->now();
  const auto outcome = fixture.dial(fmt::format("http://127.0.0.1:{}/", peer.port()));
  CHECK(outcome->failure().code() == Errc::deadline_exceeded);
}

TEST_CASE("a dial is cancelled in any phase, at once, and leaves nothing behind") {
  const Phase phase = GENERATE(Phase::resolve, Phase::connect, Phase::handshake);
  CAPTURE(to_string(phase));
  HangingDial dial;
  const auto outcome = dial.start_until_it_hangs(phase);
  outcome->signal.emit(asio::cancellation_type::terminal);
  CHECK_FALSE(outcome->is_done());
  dial.poll();
  REQUIRE(outcome->is_done());
  // The awaiting coroutine may end with Asio's own exception, which cancellation raises at its next await.
  if (outcome->result) CHECK(outcome->failure().code() == Errc::cancelled);
  CHECK(dial.fixture.time->alarms() == 0);
  CHECK(dial.log.text.ends_with(fmt::format("+{0} -{0} ", to_string(phase))));
}

TEST_CASE("a loop may be destroyed in the middle of a dial") {
  const Phase phase = GENERATE(Phase::resolve, Phase::connect, Phase::handshake);
  CAPTURE(to_string(phase));
  std::shared_ptr<DialOutcome> outcome;
  {
    HangingDial dial;
    outcome = dial.start_until_it_hangs(phase);
    dial.fixture.dialer.reset();
    CHECK_FALSE(outcome->is_done());
  }
  CHECK_FALSE(outcome->is_done());
}
