// The limits of what an HTTP/2 client may cost a server, in virtual time.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "net/codec/http2_frames.hpp"
#include "net/codec/http2_session.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

constexpr const char* path = "/s/m";

class HeardEvents final : public Http2Events {
 public:
  void on_request(std::int32_t stream, Http2Request request) override {
    said += fmt::format("begin {} {};", stream, request.is_too_large ? "too large" : request.path);
    last = std::move(request);
  }
  void on_content(std::int32_t stream, std::string_view bytes) override {
    said += fmt::format("content {} {};", stream, bytes.size());
    content += bytes;
  }
  void on_request_end(std::int32_t stream) override { said += fmt::format("request end {};", stream); }
  void on_sent(std::int32_t stream) override { said += fmt::format("sent {};", stream); }
  void on_stream_end(std::int32_t stream) override { said += fmt::format("end {};", stream); }

  std::string said;
  std::string content;
  Http2Request last;
};

class SessionRig {
 public:
  explicit SessionRig(const Http2Limits& limits = {}) : session(limits, events, now) {}
  /// The client's bytes; false: the session is over.
  bool put(const std::string& bytes) {
    const bool goes_on = session.put(bytes, now);
    return take() && goes_on;
  }
  bool take() {
    std::string out;
    const bool goes_on = session.take(out, 1 << 20);
    max_taken = std::max(max_taken, out.size());
    heard_bytes += out;
    return goes_on;
  }
  std::vector<HeardFrame> heard() const { return frames_of(heard_bytes); }
  /// Puts `bytes(i)` for i from 0 until the session is over, at most `most` times. Returns the number of calls.
  template <class Bytes>
  int put_until_over(int max, Bytes bytes) {
    for (int i = 0; i < max; ++i) {
      if (!put(bytes(i))) return i + 1;
    }
    return max;
  }

  SteadyTime now = SteadyTime(1000s);
  HeardEvents events;
  Http2Session session;
  std::string heard_bytes;
  std::size_t max_taken = 0;
};

std::uint32_t nth_stream(int i) { return static_cast<std::uint32_t>(2 * i + 1); }

}  // namespace

TEST_CASE("a call of HTTP/2: head, content in both directions, trailers", "[net]") {
  SessionRig t;
  REQUIRE(t.put(greeting() + call_begin(1, path)));
  CHECK(t.events.last.method == "POST");
  CHECK(t.events.last.authority == "h");
  CHECK(t.events.last.headers.get("te") == "trailers");
  CHECK(t.session.has_begun());
  REQUIRE(t.put(frame(FrameType::data, 0, 1, "one")));
  const std::pair<std::string_view, std::string_view> head[] = {{":status", "200"}};
  const std::pair<std::string_view, std::string_view> trailers[] = {{"grpc-status", "0"}};
  t.session.start(1, head);
  t.session.send(1, SharedBytes("two"));
  REQUIRE(t.take());
  t.session.finish(1, trailers);
  REQUIRE(t.take());
  CHECK(t.events.content == "one");
  CHECK(t.events.said == "begin 1 /s/m;content 1 3;sent 1;end 1;");
  const std::vector<HeardFrame> heard = t.heard();
  CHECK(count_of(heard, FrameType::headers) == 2);
  CHECK(heard.back().type == FrameType::rst_stream);  // the client had more to send
  CHECK(heard.back().code() == no_error);
  CHECK(t.session.streams() == 0);
  REQUIRE(t.put(call_begin(3, path, flag_end_headers | flag_end_stream)));
  t.session.answer(3, head);
  REQUIRE(t.take());
  CHECK(t.heard().back().type == FrameType::headers);
}

TEST_CASE("streams that are opened and reset at once end the connection at the hundredth", "[net]") {
  SessionRig t;
  REQUIRE(t.put(greeting()));
  const int over = t.put_until_over(
      10'000, [](int i) { return call_begin(nth_stream(i), path) + frame(FrameType::rst_stream, 0, nth_stream(i), big_endian(8, 4)); });
  CHECK(over == 101);
  CHECK(goaway_of(t.heard()) == enhance_your_calm);
  CHECK_FALSE(t.put(frame(FrameType::ping, 0, 0, "12345678")));
}

TEST_CASE("streams that a client has the server reset count as well, and those above the bound", "[net]") {
  SessionRig by_faults;
  REQUIRE(by_faults.put(greeting()));
  const int over = by_faults.put_until_over(
      10'000, [](int i) { return call_begin(nth_stream(i), path) + frame(FrameType::window_update, 0, nth_stream(i), big_endian(0, 4)); });
  CHECK(over <= 101);
  CHECK(by_faults.session.streams() <= 100);
  SessionRig by_number;
  REQUIRE(by_number.put(greeting()));
  by_number.put_until_over(10'000, [](int i) { return call_begin(nth_stream(i), path); });
  CHECK(by_number.session.streams() <= 100);
  CHECK(goaway_of(by_number.heard()) == enhance_your_calm);
}

TEST_CASE("a hundred resets in ten seconds are allowed, repeatedly", "[net]") {
  SessionRig t;
  REQUIRE(t.put(greeting()));
  int stream = 0;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 100; ++i, ++stream) {
      REQUIRE(t.put(call_begin(nth_stream(stream), path) + frame(FrameType::rst_stream, 0, nth_stream(stream), big_endian(8, 4))));
    }
    t.now += 10s;
  }
}

TEST_CASE("endless frames other than content end the connection", "[net]") {
  const std::string floods[] = {frame(FrameType::ping, 0, 0, "12345678"),
                                frame(FrameType::settings, 0, 0, ""),
                                frame(FrameType::window_update, 0, 0, big_endian(1, 4)),
                                frame(FrameType::data, 0, 1, ""),
                                frame(static_cast<FrameType>(77), 0, 0, "?"),
                                frame(FrameType::priority, 0, 1001, std::string(5, '\0')),
                                frame(FrameType::data, 8, 1, std::string(1, '\x64') + std::string(100, '\0'))};  // padding
  for (const std::string& flood : floods) {
    SessionRig t;
    REQUIRE(t.put(greeting() + call_begin(1, path)));
    t.max_taken = 0;
    const int over = t.put_until_over(100'000, [&flood](int) { return flood; });
    INFO(static_cast<int>(flood[3]));
    CHECK(over < 100'000);
    CHECK(goaway_of(t.heard()) == enhance_your_calm);
    CHECK(t.max_taken < 1000);
  }
}

TEST_CASE("acknowledgements do not accumulate for a client that does not read", "[net]") {
  for (const std::string& one : {frame(FrameType::ping, 0, 0, "12345678"), frame(FrameType::settings, 0, 0, "")}) {
    SessionRig t;
    REQUIRE(t.put(greeting()));
    int sent = 0;
    while (t.session.put(one, t.now)) REQUIRE(++sent < 10'000);
    CHECK(sent <= 200);
  }
}

TEST_CASE("pings at a normal rate are always answered", "[net]") {
  SessionRig t;
  REQUIRE(t.put(greeting() + call_begin(1, path)));
  for (int i = 0; i < 10'000; ++i) {
    t.now += 1s;
    REQUIRE(t.put(frame(FrameType::ping, 0, 0, "12345678")));
  }
  CHECK(count_of(t.heard(), FrameType::ping) == 10'000);
}

TEST_CASE("window updates of a client that reads much are not counted", "[net]") {
  SessionRig t;
  REQUIRE(t.put(greeting() + call_begin(1, path)));
  const std::pair<std::string_view, std::string_view> head[] = {{":status", "200"}};
  t.session.start(1, head);
  for (int i = 0; i < 40'000; ++i) {
    t.session.send(1, SharedBytes(std::string(16'000, 'x')));
    REQUIRE(
        t.put(frame(FrameType::window_update, 0, 0, big_endian(16'000, 4)) + frame(FrameType::window_update, 0, 1, big_endian(16'000, 4))));
    t.heard_bytes.clear();
  }
}

TEST_CASE("a head is limited, and a call with a longer one gets an error", "[net]") {
  SessionRig t;
  const std::string some(6000, 'a');
  const std::string block = call_head(path, {{"a", some}, {"b", some}, {"c", some}});
  std::string bytes = greeting() + frame(FrameType::headers, 0, 1, block.substr(0, 16'000));
  REQUIRE(t.put(bytes));
  CHECK(t.session.is_in_head());
  REQUIRE(t.put(frame(FrameType::continuation, flag_end_headers, 1, block.substr(16'000))));
  CHECK(t.events.said == "begin 1 too large;");
  CHECK_FALSE(t.session.is_in_head());
}

TEST_CASE("CONTINUATION frames without end, and few bytes that become many fields, end the connection", "[net]") {
  SessionRig endless;
  REQUIRE(endless.put(greeting() + frame(FrameType::headers, 0, 1, call_head(path))));
  CHECK(endless.put_until_over(10'000, [](int) { return frame(FrameType::continuation, 0, 1, ""); }) < 10'000);
  SessionRig trickle;
  REQUIRE(trickle.put(greeting() + frame(FrameType::headers, 0, 1, call_head(path))));
  CHECK(trickle.put_until_over(10'000, [](int) { return frame(FrameType::continuation, 0, 1, hpack_field("a", "b")); }) < 10'000);
  SessionRig bomb;
  // One entry of the table, and then a byte for each reference to it.
  const std::string block = call_head(path) + hpack_field("x", std::string(3900, 'y'), true) + std::string(10'000, '\xbe');
  CHECK_FALSE(bomb.put(greeting() + frame(FrameType::headers, flag_end_headers, 1, block)));
  CHECK(goaway_of(bomb.heard()) == enhance_your_calm);
  CHECK(bomb.events.said.empty());
}

TEST_CASE("the window holds back content until it is released", "[net]") {
  SessionRig t;
  REQUIRE(t.put(greeting() + call_begin(1, path)));
  const std::string piece = frame(FrameType::data, 0, 1, std::string(16'000, 'x'));
  for (int i = 0; i < 4; ++i) REQUIRE(t.put(piece));
  CHECK(t.events.content.size() == 64'000);
  t.session.give_back(1, 64'000);
  REQUIRE(t.take());
  CHECK(count_of(t.heard(), FrameType::window_update) == 2);
  for (int i = 0; i < 4; ++i) REQUIRE(t.put(piece));
  CHECK_FALSE(t.put(piece));  // more than allowed
  CHECK(t.events.content.size() <= 64'000 + 65'535);
}

TEST_CASE("for a client with a closed window no data accumulates", "[net]") {
  SessionRig t;
  REQUIRE(t.put(std::string(client_preface) + frame(FrameType::settings, 0, 0, big_endian(4, 2) + big_endian(0, 4)) + call_begin(1, path)));
  const std::pair<std::string_view, std::string_view> head[] = {{":status", "200"}};
  t.session.start(1, head);
  t.session.send(1, SharedBytes(std::string(1'000'000, 'x')));
  REQUIRE(t.take());
  CHECK(t.heard_bytes.size() < 1000);
  t.session.reset(1);
  REQUIRE(t.take());
  CHECK(t.heard().back().type == FrameType::rst_stream);
  CHECK(t.session.streams() == 0);
}

TEST_CASE("input other than HTTP/2 ends the connection at once", "[net]") {
  SessionRig t;
  CHECK_FALSE(t.put("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  SessionRig other;
  CHECK_FALSE(other.put(std::string(client_preface) + frame(FrameType::ping, 0, 0, "12345678")));
}
