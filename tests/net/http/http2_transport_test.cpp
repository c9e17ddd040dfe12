// Exchanges over HTTP/2 on sockets, against a server that follows a script.
#include "net/http/http2_server.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

std::size_t resets_of(const Http2Peer& peer) { return count_of(peer.frames(), FrameType::rst_stream); }

}  // namespace

TEST_CASE("HTTP/2: requests share one connection") {
  Http2Fixture net(echo_path);
  std::vector<OutcomePtr> all;
  for (int i = 0; i < 30; ++i) all.push_back(net.start("/" + std::to_string(i)));
  for (int i = 0; i < 30; ++i) CHECK(net.body(all[static_cast<std::size_t>(i)]) == "/" + std::to_string(i));
  CHECK(net.body("/later") == "/later");
  CHECK(net.peers.size() == 1);
  CHECK(net.is_idle());
  CHECK(net.time->alarms() == 0);
}

TEST_CASE("HTTP/2: a request with a body, and a large answer") {
  const std::string large(3 << 20, 'x');
  Http2Fixture net([&](Http2Peer& peer, std::int32_t stream, const Http2Request& request) {
    peer.answer(stream, request.method == "POST" ? peer.bodies[stream] : large);
  });
  HttpRequest post = net.request("/post");
  post.method = HttpMethod::post;
  post.body = std::string(200'000, 'q');
  CHECK(net.body(net.start(post)) == post.body);
  CHECK(net.body("/large") == large);
  const OutcomePtr streamed = net.start_stream("/large");
  CHECK(net.body(streamed) == large);
  CHECK(*std::max_element(net.sizes->begin(), net.sizes->end()) <= 64 * 1024);
  CHECK(net.peers.size() == 2);  // a stream has a connection apart
  CHECK(net.is_idle());
}

TEST_CASE("HTTP/2: a watch, long answers and requests have connections of their own") {
  std::vector<std::pair<Http2Peer*, std::int32_t>> held;
  Http2Fixture net([&](Http2Peer& peer, std::int32_t stream, const Http2Request&) { held.emplace_back(&peer, stream); });
  ExchangeOptions watch;
  watch.is_watch = true;
  std::vector<OutcomePtr> all;
  for (int i = 0; i < 2; ++i) {
    all.push_back(net.start_stream("/watch", watch));
    all.push_back(net.start_stream("/list"));
    all.push_back(net.start("/one"));
  }
  net.until([&] { return held.size() == 6; });
  CHECK(net.peers.size() == 3);
  for (const auto& [peer, stream] : held) peer->answer(stream, peer->requests[stream].path);
  for (std::size_t i = 0; i < 6; ++i) CHECK(net.body(all[i]) == std::array{"/watch", "/list", "/one"}[i % 3]);
  for (Http2Peer& peer : net.peers) CHECK(peer.requests.begin()->second.path == peer.requests.rbegin()->second.path);
  CHECK(net.is_idle());
}

TEST_CASE("HTTP/2: another connection when each has 32 requests, at most eight; then up to the server's limit") {
  std::vector<std::pair<Http2Peer*, std::int32_t>> held;
  Http2Fixture net([&](Http2Peer& peer, std::int32_t stream, const Http2Request&) { held.emplace_back(&peer, stream); });
  std::vector<OutcomePtr> all;
  for (int i = 0; i < 850; ++i) all.push_back(net.start("/"));
  net.until([&] { return held.size() == 800; });
  for (int i = 0; i < 50; ++i) net.turn();
  CHECK(held.size() == 800);
  CHECK(net.peers.size() == 8);
  for (std::size_t i = 0; i < 800; ++i) {
    held[i].first->answer(held[i].second, "ok");
    if (i % 50 == 0) net.turn();
  }
  net.until([&] { return held.size() == 850; });
  for (std::size_t i = 800; i < 850; ++i) held[i].first->answer(held[i].second, "ok");
  for (const OutcomePtr& one : all) CHECK(net.body(one) == "ok");
  CHECK(net.peers.size() == 8);
  CHECK(net.is_idle());
}

TEST_CASE("HTTP/2: cancellation and time-outs reset the stream, not the connection") {
  Http2Fixture net([&](Http2Peer& peer, std::int32_t stream, const Http2Request& request) {
    if (request.path != "/silent") peer.answer(stream, request.path);
  });
  REQUIRE(net.body("/first") == "/first");
  ExchangeOptions options;
  options.response_timeout = 20s;
  const OutcomePtr one = net.start("/silent", options);
  net.until([&] { return net.peers.front().requests.size() == 2; });
  SECTION("cancelled") {
    one->signal.emit(asio::cancellation_type::terminal);
    CHECK(net.finish(one)->code() == Errc::cancelled);
  }
  SECTION("silent, while others are answered") {
    net.time->advance(10s);
    REQUIRE(net.body("/second") == "/second");
    net.time->advance(10s);
    CHECK(net.finish(one)->what().find("the server did not answer for 20 s") != std::string::npos);
  }
  net.until([&] { return resets_of(net.peers.front()) == 1; });
  CHECK(net.body("/last") == "/last");
  CHECK(net.peers.size() == 1);
  CHECK(net.is_idle());
  CHECK(net.time->alarms() == 0);
}

TEST_CASE("HTTP/2: a server that has gone silent is left") {
  Http2Fixture net(echo_path);
  REQUIRE(net.body("/first") == "/first");
  net.peers.front().is_deaf = true;
  SECTION("by PING, while an answer is awaited for long") {
    ExchangeOptions patient;
    patient.response_timeout = 0s;
    const OutcomePtr one = net.start("/", patient);
    for (int i = 0; i < 20; ++i) net.turn();
    net.time->advance(30s);
    for (int i = 0; i < 20; ++i) net.turn();
    CHECK_FALSE(one->is_done());
    net.time->advance(15s);
    CHECK(net.body(one) == "/");  // the request was repeated once, on another connection
    CHECK(net.peers.size() == 2);
  }
  SECTION("after a time-out, while others wait") {
    ExchangeOptions patient;
    patient.response_timeout = 0s;
    const OutcomePtr other = net.start("/other", patient);
    const OutcomePtr one = net.start("/", ExchangeOptions());
    for (int i = 0; i < 20; ++i) net.turn();
    net.time->advance(20s);
    CHECK(net.finish(one)->code() == Errc::response_timeout);
    CHECK(net.body("/next") == "/next");  // on another connection
    CHECK(net.peers.size() == 2);
    CHECK_FALSE(other->is_done());
    net.time->advance(15s);
    CHECK(net.body(other) == "/other");
  }
  SECTION("after a time-out, alone") {
    const OutcomePtr one = net.start("/", ExchangeOptions());
    for (int i = 0; i < 20; ++i) net.turn();
    net.time->advance(20s);
    CHECK(net.finish(one)->code() == Errc::response_timeout);
    CHECK(net.is_idle());
    CHECK(net.body("/next") == "/next");
  }
}

TEST_CASE("HTTP/2: what the server did not process is sent again, once") {
  int seen = 0;
  int refusals = 1;
  HttpMethod method = HttpMethod::post;
  SECTION("refused") {
    Http2Fixture net([&](Http2Peer& peer, std::int32_t stream, const Http2Request&) {
      ++seen;
      if (refusals-- > 0) return peer.write(frame(FrameType::rst_stream, 0, static_cast<std::uint32_t>(stream), big_endian(7, 4)));
      peer.answer(stream, "ok");
    });
    HttpRequest post = net.request();
    post.method = method;
    CHECK(net.body(net.start(post)) == "ok");
    CHECK(seen == 2);
    refusals = 5;
    const OutcomePtr refused = net.finish(net.start(post));
    CHECK(refused->code() == Errc::unreachable);
    CHECK(refused->result->error().phase() == Phase::overall);
    CHECK(seen == 4);
  }
  SECTION("the connection ends normally") {
    Http2Fixture net([&](Http2Peer& peer, std::int32_t stream, const Http2Request& request) {
      ++seen;
      if (request.path == "/last" && refusals-- > 0) {
        return peer.write(frame(FrameType::goaway, 0, 0, big_endian(static_cast<std::uint32_t>(stream - 2), 4) + big_endian(0, 4)));
      }
      peer.answer(stream, "ok");
    });
    CHECK(net.body("/first") == "ok");
    HttpRequest post = net.request("/last");
    post.method = method;
    CHECK(net.body(net.start(post)) == "ok");
    CHECK(net.peers.size() == 2);
  }
  SECTION("a reset for another reason: it may have been processed") {
    Http2Fixture net([&](Http2Peer& peer, std::int32_t stream, const Http2Request&) {
      ++seen;
      peer.write(frame(FrameType::rst_stream, 0, static_cast<std::uint32_t>(stream), big_endian(2, 4)));
    });
    HttpRequest post = net.request();
    post.method = method;
    const OutcomePtr outcome = net.finish(net.start(post));
    CHECK(outcome->code() == Errc::unreachable);
    CHECK(outcome->result->error().phase() == Phase::response);
    CHECK(seen == 1);
  }
}

TEST_CASE("HTTP/2: GOAWAY between requests, and a connection that was closed while idle") {
  Http2Fixture net(echo_path);
  CHECK(net.body("/1") == "/1");
  SECTION("GOAWAY") { net.peers.back().session.end(Http2Session::Why::done); }
  SECTION("closed") { net.peers.back().close(); }
  for (int i = 0; i < 10; ++i) net.turn();
  HttpRequest post = net.request("/2");
  post.method = HttpMethod::post;
  CHECK(net.body(net.start(post)) == "/2");
  CHECK(net.peers.size() == 2);
}

TEST_CASE("HTTP/2: a connection that is lost with many requests on it") {
  int posts = 0;
  bool is_silent = true;
  Http2Fixture net([&](Http2Peer& peer, std::int32_t stream, const Http2Request& request) {
    posts += request.method == "POST" ? 1 : 0;
    if (!is_silent || request.path == "/first") peer.answer(stream, request.path);
  });
  REQUIRE(net.body("/first") == "/first");
  std::vector<OutcomePtr> all;
  for (int i = 0; i < 20; ++i) all.push_back(net.start("/" + std::to_string(i)));
  HttpRequest order = net.request("/order");
  order.method = HttpMethod::post;
  const OutcomePtr post = net.start(order);
  net.until([&] { return net.peers.front().requests.size() == 22; });
  is_silent = false;
  net.peers.front().close();
  for (int i = 0; i < 20; ++i) CHECK(net.body(all[static_cast<std::size_t>(i)]) == "/" + std::to_string(i));
  CHECK(net.finish(post)->code() == Errc::unreachable);
  CHECK(post->result->error().phase() == Phase::response);
  CHECK(posts == 1);
  CHECK(net.peers.size() == 2);
}

TEST_CASE("HTTP/2: close() ends all, and a destroyed loop too") {
  Http2Fixture net([](Http2Peer&, std::int32_t, const Http2Request&) {});
  std::vector<OutcomePtr> all;
  for (int i = 0; i < 5; ++i) all.push_back(net.start("/"));
  all.push_back(net.start_stream("/"));
  net.until([&] { return net.peers.size() == 2 && net.peers.front().requests.size() == 5 && net.peers.back().requests.size() == 1; });
  net.http->close();
  for (const OutcomePtr& one : all) CHECK(net.finish(one)->code() == Errc::cancelled);
  net.until([&] { return net.open_peers() == 0; });
  CHECK(net.is_idle());
  CHECK(net.time->alarms() == 0);
}

TEST_CASE("a server that chooses HTTP/1.1, or nothing") {
  HttpServer::Handler say = [](ServerExchange& exchange) -> asio::awaitable<void> { co_await echo(exchange); };
  Http2Fixture net(echo_path);
  const TlsContextPtr old = net.identity.server_context();
  HttpServer server(net.server_loop.get_executor(), say);
  HttpRequest request = net.request("/old");
  request.url.port = server.listen("127.0.0.1", 0, [&](std::string_view) { return old.get(); }).value();
  const OutcomePtr outcome = net.start(request);
  while (!outcome->is_done()) {
    net.turn();
    net.server_loop.restart();
    net.server_loop.poll();
  }
  CHECK(net.body(outcome) == "/old");
  server.stop();
  net.server_loop.restart();
  net.server_loop.poll();
}
