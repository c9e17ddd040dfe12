// Waits of exchanges over HTTP/2, for a place and for a peer that has fallen silent, and connections that are idle.
#include <random>

#include "net/http/descriptor_hoard.hpp"
#include "net/http/http2_server.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

// Of the same server, with connections of its own.
HttpRequest request_of_other_access(const Http2Fixture& net, const std::string& target) {
  HttpRequest request = net.request(target);
  ServerAccess access;
  access.authorities = net.ca.pem();
  request.access = std::make_shared<const ServerAccess>(access);
  return request;
}

}  // namespace

TEST_CASE("HTTP/2: a peer that falls silent is named after 45 s, and the next request goes on another connection") {
  HeldAnswer held;
  Http2Fixture net(held.handler());
  REQUIRE(net.body("/first") == "/first");
  HttpRequest order = net.request("/held");
  order.method = HttpMethod::post;
  ExchangeOptions patient;
  patient.response_timeout = 0s;
  const OutcomePtr post = net.start(order, patient);
  net.until([&] { return held.is_there(); });
  net.peers.front().is_deaf = true;
  net.turn_often();
  for (const Duration step : {30s - 1ns, Duration(1ns), 15s - 1ns}) {
    net.time->advance(step);
    net.turn_often();
    CHECK_FALSE(post->is_done());
  }
  net.time->advance(1ns);
  CHECK(net.finish(post)->code() == Errc::unreachable);
  CHECK_THAT(post->what(), Catch::Contains("has said nothing for 45 s, and did not answer a PING") && Catch::Contains("/held"));
  CHECK(post->result->error().phase() == Phase::response);  // it may have been carried out: it is not sent again
  CHECK(net.body("/next") == "/next");
  CHECK(net.peers.size() == 2);
  CHECK(net.is_idle());
  CHECK(net.time->alarms() == 0);
}

TEST_CASE("HTTP/2: a peer that falls silent after other answers gets no more requests") {
  HeldAnswer held;
  Http2Fixture net(held.handler());
  REQUIRE(net.body("/first") == "/first");
  ExchangeOptions patient;
  patient.response_timeout = 0s;
  const OutcomePtr other = net.start("/held", patient);
  const OutcomePtr one = net.start("/held");
  net.turn_often();
  net.time->advance(1s);
  REQUIRE(net.body("/second") == "/second");
  net.peers.front().is_deaf = true;
  net.time->advance(19s);
  CHECK(net.finish(one)->code() == Errc::response_timeout);
  CHECK(net.body("/next") == "/next");
  CHECK(net.peers.size() == 2);
  CHECK_FALSE(other->is_done());
}

TEST_CASE("HTTP/2: a deadline passes while waiting for a place") {
  NetworkOptions network;
  network.max_connections_per_host = 1;
  HeldAnswer held;
  Http2Fixture net(held.handler(), network);
  net.limits.streams = 2;
  REQUIRE(net.body("/first") == "/first");  // now the limit is known
  const std::vector<OutcomePtr> full{net.start("/held"), net.start("/held")};
  net.until([&] { return net.peers.front().requests.size() == 3; });
  ExchangeOptions options;
  options.deadline = net.time->now() + 5s;
  const OutcomePtr waiting = net.start("/", options);
  net.turn_often();
  net.time->advance(5s);
  CHECK(net.finish(waiting)->code() == Errc::deadline_exceeded);
  CHECK(waiting->result->error().phase() == Phase::overall);
  CHECK_FALSE((full[0]->is_done() || full[1]->is_done()));
  CHECK(net.peers.size() == 1);
}

TEST_CASE("HTTP/2: cancelled requests that a silent server has not answered do not block the next one") {
  NetworkOptions network;
  network.max_connections_per_host = 1;
  HeldAnswer held;
  Http2Fixture net(held.handler(), network);
  net.limits.streams = 2;
  REQUIRE(net.body("/first") == "/first");
  for (const OutcomePtr& one : {net.start("/held"), net.start("/held")}) {
    net.turn_often();
    one->signal.emit(asio::cancellation_type::terminal);
    net.finish(one);
  }
  CHECK(net.body("/next") == "/next");
  CHECK(net.is_idle());
}

TEST_CASE("HTTP/2: thousands of random cancellations leave nothing behind") {
  NetworkOptions network;
  network.max_connections_per_host = 2;
  Http2Fixture net(
      [](Http2Peer& peer, std::int32_t stream, const Http2Request& request) {
        if (request.path == "/silent") return;
        if (request.path == "/close") return peer.close();
        if (request.path == "/reset") return peer.session.reset(stream);
        peer.answer(stream, request.path == "/large" ? std::string(200'000, 'x') : request.path);
      },
      network);
  net.limits.streams = 6;
  std::mt19937 random(20261127);
  const std::vector<std::string> targets{"/a", "/b", "/large", "/silent", "/reset", "/close"};
  std::vector<OutcomePtr> pending;
  int cancelled = 0;
  int finished = 0;
  while (cancelled < 3000) {
    while (pending.size() < 24) {
      ExchangeOptions options;
      if (random() % 4 == 0) options.deadline = net.timers->now() + std::chrono::milliseconds(random() % 50);
      const std::string& target = targets[random() % (random() % 8 == 0 ? 6 : 5)];
      pending.push_back(random() % 4 ? net.start(target, options) : net.start_stream(target, options));
    }
    for (std::size_t polls = random() % 4; polls > 0; --polls) net.turn();
    if (random() % 8 == 0) net.time->advance(std::chrono::milliseconds(random() % 20));
    for (int i = 0; i < 3; ++i) {
      const OutcomePtr one = pending[random() % pending.size()];
      if (one->is_done()) continue;
      one->signal.emit(asio::cancellation_type::terminal);
      ++cancelled;
    }
    finished += static_cast<int>(std::erase_if(pending, [](const OutcomePtr& one) { return one->is_done(); }));
    std::erase_if(net.peers, [](const Http2Peer& peer) { return !peer.is_open; });
  }
  for (const OutcomePtr& one : pending) one->signal.emit(asio::cancellation_type::terminal);
  for (const OutcomePtr& one : pending) net.finish(one);
  CHECK(finished > 1500);
  for (int i = 0; i < 5; ++i) net.turn_often();
  CHECK(net.is_idle());
  CHECK(net.time->alarms() == 0);
  std::vector<OutcomePtr> last;  // all places are free again
  for (int i = 0; i < 24; ++i) last.push_back(i % 2 ? net.start("/last") : net.start_stream("/last"));
  for (const OutcomePtr& one : last) CHECK(net.body(one) == "/last");
  CHECK(net.is_idle());
}

TEST_CASE("HTTP/2: idle connections have a maximum age, also those of an unused host") {
  Http2Fixture net(echo_path);
  CHECK(net.body(net.start(request_of_other_access(net, "/other"))) == "/other");
  CHECK(net.body("/1") == "/1");
  CHECK(net.open_peers() == 2);
  net.time->advance(NetworkOptions().max_idle_time - 1ns);
  CHECK(net.body("/2") == "/2");
  CHECK(net.peers.size() == 2);
  net.time->advance(NetworkOptions().max_idle_time - 1ns);
  CHECK(net.body("/3") == "/3");
  net.until([&] { return net.open_peers() == 1; });
  net.time->advance(NetworkOptions().max_idle_time);
  CHECK(net.body("/4") == "/4");
  CHECK(net.peers.size() == 3);
  net.until([&] { return net.open_peers() == 1; });
}

TEST_CASE("HTTP/2: out of descriptors: an idle connection makes room") {
  Http2Fixture net(echo_path);
  CHECK(net.body(net.start(request_of_other_access(net, "/other"))) == "/other");
  net.time->advance(NetworkOptions().max_idle_time);
  CHECK(net.body("/") == "/");
  net.until([&] { return net.open_peers() == 1; });
  std::erase_if(net.peers, [](const Http2Peer& peer) { return !peer.is_open; });
  const OutcomePtr outcome = net.start(request_of_other_access(net, "/other"));
  std::optional<DescriptorHoard> hoard(std::in_place, net.loop);
  const SteadyTime begun = net.time->now();
  for (int i = 0; i < 100'000 && !outcome->is_done(); ++i) {
    net.turn();
    std::erase_if(net.peers, [](const Http2Peer& peer) { return !peer.is_open; });
    if (const auto next = net.time->next_alarm(); next && *next < begun + 1s) net.time->advance_to(*next);
  }
  hoard.reset();
  REQUIRE(outcome->is_done());
  CHECK(net.body(outcome) == "/other");
}
