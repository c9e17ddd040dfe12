// Servers of HTTP/2 that are better asked over HTTP/1.1, and one that takes nothing else than HTTP/2.
#include "json/memory_share.hpp"
#include "net/http/http2_server.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

std::string http1_required(std::int32_t stream) {
  return frame(FrameType::rst_stream, 0, static_cast<std::uint32_t>(stream), big_endian(13, 4));
}

HttpRequest post_request(const Http2Fixture& net) {
  HttpRequest request = net.request();
  request.method = HttpMethod::post;
  return request;
}

int waiting_over_http1(const Http2Fixture& net) {
  int all = 0;
  for (const Http2Peer& peer : net.peers) all += peer.http1_requests - peer.http1_answers;
  return all;
}

void answer_all_http1(Http2Fixture& net) {
  for (Http2Peer& peer : net.peers) peer.answer_http1();
}

// The answers of those requests, while each that comes over HTTP/1.1 is answered at once.
std::vector<std::string> bodies_of(Http2Fixture& net, const std::vector<OutcomePtr>& all) {
  std::vector<std::string> bodies;
  for (const OutcomePtr& one : all) {
    net.until([&] {
      answer_all_http1(net);
      return one->is_done();
    });
    bodies.push_back(net.body(one));
  }
  return bodies;
}

std::size_t http2_peers(const Http2Fixture& net) {
  return static_cast<std::size_t>(std::count_if(net.peers.begin(), net.peers.end(), [](const Http2Peer& peer) { return peer.is_http2(); }));
}

}  // namespace

TEST_CASE("HTTP/2: a server that requires HTTP/1.1 is asked over that from then on") {
  const bool ends_connection = GENERATE(false, true);
  int seen = 0;
  Http2Fixture net([&](Http2Peer& peer, std::int32_t stream, const Http2Request&) {
    ++seen;
    peer.write(ends_connection ? frame(FrameType::goaway, 0, 0, big_endian(0, 4) + big_endian(13, 4)) : http1_required(stream));
  });
  CHECK(bodies_of(net, {net.start(post_request(net))}) == std::vector<std::string>{"old"});
  CHECK(seen == 1);
  CHECK(net.peers.size() == 2);
  CHECK(bodies_of(net, {net.start("/"), net.start_stream("/")}) == std::vector<std::string>{"old", "old"});
  CHECK(seen == 1);
  CHECK(http2_peers(net) == 1);
  CHECK(net.is_idle());
  CHECK(net.open_peers() <= 2);  // none of HTTP/2
  SECTION("and over HTTP/2 again when it was forgotten") {
    net.time->advance(11min);
    CHECK(bodies_of(net, {net.start("/")}) == std::vector<std::string>{"old"});
    CHECK(seen == 2);
  }
}

TEST_CASE("HTTP/2: a server that requires HTTP/1.1, and does not take it") {
  int seen = 0;
  Http2Fixture net([&](Http2Peer& peer, std::int32_t stream, const Http2Request&) {
    ++seen;
    peer.write(http1_required(stream));
  });
  SSL_CTX_set_alpn_select_cb(net.context.get(), require_http2, http2);
  const OutcomePtr outcome = net.finish(net.start("/"));
  CHECK(outcome->what().find("HTTP_1_1_REQUIRED") != std::string::npos);
  CHECK(seen == 2);
  CHECK(net.is_idle());
}

TEST_CASE("HTTP/2: a server that takes few requests at a time gets as many connections as over HTTP/1.1") {
  const std::size_t streams = GENERATE(std::size_t{1}, std::size_t{7});
  std::vector<std::pair<Http2Peer*, std::int32_t>> held;
  Http2Fixture net([&](Http2Peer& peer, std::int32_t stream, const Http2Request&) { held.emplace_back(&peer, stream); });
  net.limits.streams = streams;
  SSL_CTX_set_alpn_select_cb(net.context.get(), choose_best, nullptr);
  std::vector<OutcomePtr> all;
  for (int i = 0; i < 100; ++i) all.push_back(net.start("/"));
  net.until([&] { return waiting_over_http1(net) + static_cast<int>(held.size()) == 64; });
  const std::size_t by_http2 = held.size();
  CHECK(by_http2 >= streams);
  CHECK(by_http2 <= 2 * streams);  // a second connection was opened before the limit was known
  for (const auto& [peer, stream] : held) peer->answer(stream, "new");
  const std::vector<std::string> bodies = bodies_of(net, all);
  CHECK(static_cast<std::size_t>(std::count(bodies.begin(), bodies.end(), "new")) == by_http2);
  CHECK(static_cast<std::size_t>(std::count(bodies.begin(), bodies.end(), "old")) == 100 - by_http2);
  CHECK(http2_peers(net) <= 2);
  CHECK(net.is_idle());
}

TEST_CASE("HTTP/2: a server that takes one request at a time, and no HTTP/1.1") {
  Http2Fixture net(echo_path);
  net.limits.streams = 1;
  SECTION("and says so in the handshake") { SSL_CTX_set_alpn_select_cb(net.context.get(), require_http2, http2); }
  SECTION("and chooses no protocol then") {}
  std::vector<OutcomePtr> all;
  for (int i = 0; i < 30; ++i) all.push_back(net.start("/"));
  CHECK(bodies_of(net, all) == std::vector<std::string>(30, "/"));
  CHECK(net.body("/later") == "/later");
  CHECK(http2_peers(net) <= 9);
  CHECK(net.is_idle());
}

TEST_CASE("HTTP/2: a limit of no requests is a pause") {
  Http2Fixture net(echo_path);
  REQUIRE(net.body("/1") == "/1");
  const OutcomePtr held = net.start("/2");
  net.peers.front().write(frame(FrameType::settings, 0, 0, big_endian(3, 2) + big_endian(0, 4)));
  REQUIRE(net.body(held) == "/2");
  const OutcomePtr next = net.start("/3");
  net.until([&] { return next->is_done() || net.peers.size() > 1; });
  CHECK(net.body(next) == "/3");
  CHECK(http2_peers(net) == net.peers.size());
}

TEST_CASE("only HTTP/1.1 is offered to servers for which that is set") {
  Http2Fixture net(echo_path);
  HttpRequest request = net.request();
  ServerAccess access;
  access.authorities = net.ca.pem();
  SECTION("set") { access.only_http1 = true; }
  SECTION("not set") {}
  request.access = std::make_shared<const ServerAccess>(access);
  CHECK(bodies_of(net, {net.start(request)}) == std::vector<std::string>{access.only_http1 ? "old" : "/"});
}

TEST_CASE("HTTP/2: content of streams that is not read is charged, and has a limit") {
  const auto memory = std::make_shared<MemoryAccount>(1'000'000);
  Http2Fixture net(
      [](Http2Peer& peer, std::int32_t stream, const Http2Request&) {
        peer.start(stream);
        peer.session.send(stream, SharedBytes(std::string(700'000, 'x')));
        peer.session.finish(stream, {});
      },
      {}, memory);
  std::optional<Result<std::unique_ptr<HttpStream>>> streams[2];
  const auto open_into = [](std::shared_ptr<HttpTransport> http, HttpRequest request,
                            std::optional<Result<std::unique_ptr<HttpStream>>>& into) -> asio::awaitable<void> {
    into = co_await http->open(request, ExchangeOptions());
  };
  for (auto& one : streams) {
    asio::co_spawn(net.loop, open_into(net.http, net.request(), one), asio::detached);
    net.until([&] { return one.has_value(); });
    REQUIRE(one->has_value());
  }
  const auto read_all = [](HttpStream& stream, std::string& text) -> asio::awaitable<void> {
    for (bool is_over = false; !is_over;) {
      const Result<std::string_view> piece = co_await stream.read();
      is_over = piece.has_error() || piece->empty();
      text += piece.has_error() ? piece.error().what() : std::string(*piece);
    }
    text += '.';
  };
  for (std::size_t last = 1; last != memory->used();) {
    last = memory->used();
    for (int i = 0; i < 50; ++i) net.turn();
  }
  CHECK(memory->used() >= 700'000);
  std::string texts[2];
  for (int i = 0; i < 2; ++i) {
    asio::co_spawn(net.loop, read_all(**streams[i]->operator->(), texts[i]), asio::detached);
    net.until([&] { return texts[i].ends_with('.'); });
  }
  CHECK(texts[0].size() == 700'001);
  CHECK(texts[1].find("there is no memory for the answer's content") != std::string::npos);
  CHECK(memory->used() == 0);
}
