// Answers over HTTP/2: compressed, slow, read in pieces, and what an observer sees of them.
#include <asio/post.hpp>

#include "net/http/http2_server.hpp"
#include "sim/wire/encoding.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

void answer_packed(Http2Peer& peer, std::int32_t stream, const std::string& packed) {
  const std::pair<std::string_view, std::string_view> head[] = {{":status", "200"}, {"content-encoding", "gzip"}};
  peer.session.start(stream, head);
  peer.session.send(stream, SharedBytes(packed));
  peer.session.finish(stream, {});
}

Http2Peer::Handler packed_answers(std::string packed) {
  return [packed](Http2Peer& peer, std::int32_t stream, const Http2Request&) { answer_packed(peer, stream, packed); };
}

void check_packed_fails(const std::string& packed, Errc code, const std::string& part, ExchangeOptions options = {}) {
  Http2Fixture net(packed_answers(packed));
  const OutcomePtr whole = net.finish(net.start("/path?secret=1", options));
  CHECK(whole->code() == code);
  CHECK_THAT(whole->what(), Catch::Contains(part) && Catch::Contains("/path") && !Catch::Contains("secret"));
  CHECK(whole->result->error().phase() == Phase::response);
  CHECK(net.finish(net.start_stream("/", options))->code() == code);
  CHECK(net.is_idle());
}

class Http2Recorder final : public ExchangeObserver {
 public:
  std::string seen;
  void phase_started(Phase phase) noexcept override { seen += "+" + std::string(to_string(phase)) + " "; }
  void phase_finished(Phase phase) noexcept override { seen += "-" + std::string(to_string(phase)) + " "; }
  void connection_chosen(bool is_reused) noexcept override { seen += is_reused ? "reused " : "new "; }
};

}  // namespace

TEST_CASE("HTTP/2: compressed answers arrive whole") {
  std::string big;
  for (int i = 0; i < 100'000; ++i) big += std::to_string(i * 7919);
  Http2Fixture net(packed_answers(sim::gzip(big)));
  CHECK(net.body("/") == big);
  CHECK(net.body(net.start_stream("/")) == big);
  for (const std::size_t size : *net.sizes) CHECK((size > 0 && size <= 65536));
  CHECK(net.is_idle());
}

TEST_CASE("HTTP/2: faulty gzip, and one that unpacks to more than the limit") {
  const std::string packed = sim::gzip("hello hello hello hello");
  check_packed_fails("plain", Errc::malformed_response, "gzip");
  check_packed_fails(packed + "garbage", Errc::malformed_response, "gzip");
  check_packed_fails(packed.substr(0, packed.size() - 3), Errc::malformed_response, "too early");
  ExchangeOptions options;
  options.max_body_bytes = 100'000;
  check_packed_fails(sim::gzip(std::string(10'000'000, 'a')), Errc::limit_exceeded, "after decoding", options);
}

TEST_CASE("HTTP/2: inflating leaves the loop its turns") {
  std::int32_t asked = 0;
  Http2Fixture net([&asked](Http2Peer&, std::int32_t stream, const Http2Request&) { asked = stream; });
  const OutcomePtr outcome = net.start("/");
  net.until([&] { return asked > 0; });
  Http2Peer& peer = net.peers.front();
  answer_packed(peer, asked, sim::gzip(std::string(8'000'000, 'a')));
  peer.poll();
  int turns = 0;
  std::function<void()> count = [&] {
    ++turns;
    if (!outcome->is_done()) asio::post(net.loop, count);
  };
  asio::post(net.loop, count);
  CHECK(net.body(outcome).size() == 8'000'000);
  CHECK(turns >= 8'000'000 / 65536);
  net.turn();
}

TEST_CASE("HTTP/2: a slow server is waited for as long as it makes progress, up to the deadline") {
  HeldAnswer held;
  Http2Fixture net(held.handler());
  ExchangeOptions options;
  const auto begin = [&] {
    const OutcomePtr outcome = net.start("/held", options);
    net.until([&] { return held.is_there(); });
    net.time->advance(19s);
    held.start();
    net.turn_often();
    net.time->advance(19s);
    held.send("a");
    net.turn_often();
    return outcome;
  };
  SECTION("no deadline") {
    const OutcomePtr outcome = begin();
    net.time->advance(19s);
    held.send("b");
    held.finish();
    CHECK(net.body(outcome) == "ab");
  }
  SECTION("it falls silent") {
    const OutcomePtr outcome = begin();
    net.time->advance(20s - 1ns);
    net.turn_often();
    CHECK_FALSE(outcome->is_done());
    net.time->advance(1ns);
    CHECK(net.finish(outcome)->code() == Errc::response_timeout);
    CHECK_THAT(outcome->what(), Catch::Contains("stopped answering"));
  }
  SECTION("a deadline") {
    options.deadline = net.time->now() + 50s;
    const OutcomePtr outcome = begin();
    net.time->advance_to(options.deadline - 1ns);
    net.turn_often();
    CHECK_FALSE(outcome->is_done());
    net.time->advance(1ns);
    CHECK(net.finish(outcome)->code() == Errc::deadline_exceeded);
    CHECK(net.finish(net.start("/", options))->code() == Errc::deadline_exceeded);
  }
  CHECK(net.is_idle());
  CHECK(net.time->alarms() == 0);
}

TEST_CASE("HTTP/2: a stream that is dropped is reset, and its connection goes on") {
  Http2Fixture net([](Http2Peer& peer, std::int32_t stream, const Http2Request& request) {
    if (request.path != "/long") return peer.answer(stream, request.path);
    peer.start(stream);
    peer.session.send(stream, SharedBytes(std::string(3 << 20, 'x')));
  });
  std::unique_ptr<HttpStream> kept;
  const auto open = [](std::shared_ptr<HttpTransport> http, HttpRequest request,
                       std::unique_ptr<HttpStream>& into) -> asio::awaitable<void> {
    Result<std::unique_ptr<HttpStream>> opened = co_await http->open(request, ExchangeOptions());
    into = std::move(*opened);
  };
  asio::co_spawn(net.loop, open(net.http, net.request("/long"), kept), asio::detached);
  net.until([&] { return kept != nullptr; });
  CHECK(kept->head().status == 200);
  SECTION("dropped") {
    kept.reset();
    net.until([&] { return count_of(net.peers.front().frames(), FrameType::rst_stream) == 1; });
    CHECK(net.body(net.start_stream("/next")) == "/next");
    CHECK(net.peers.size() == 1);
  }
  SECTION("the transport is closed") {
    net.http->close();
    net.until([&] { return net.open_peers() == 0; });
    kept.reset();
  }
  CHECK(net.is_idle());
  CHECK(net.time->alarms() == 0);
}

TEST_CASE("HTTP/2: an observer sees the phases") {
  int refusals = 0;
  Http2Fixture net([&](Http2Peer& peer, std::int32_t stream, const Http2Request& request) {
    if (refusals-- > 0) return peer.write(frame(FrameType::rst_stream, 0, static_cast<std::uint32_t>(stream), big_endian(7, 4)));
    peer.answer(stream, request.path);
  });
  Http2Recorder recorder;
  ExchangeOptions options;
  options.observer = &recorder;
  CHECK(net.body(net.start("/", options)) == "/");
  CHECK_THAT(recorder.seen, Catch::StartsWith("new +") && Catch::EndsWith("+handshake -handshake +response -response "));
  recorder.seen.clear();
  CHECK(net.body(net.start("/", options)) == "/");
  CHECK(recorder.seen == "reused +response -response ");
  recorder.seen.clear();
  refusals = 1;
  CHECK(net.body(net.start("/", options)) == "/");
  CHECK(recorder.seen == "reused +response -response reused +response -response ");
}
