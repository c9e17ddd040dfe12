// What a server of HTTP/2 may cost the client's side: frames without progress, attacks, content without room.
#include "net/codec/http2_attacks.hpp"
#include "net/codec/http2_client_rig.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("HTTP/2: frames that bring no answer forward are limited", "[net]") {
  ClientRig t;
  Http2Answer& answer = t.ask();
  t.put(server_greeting + answer_head(1, {{":status", "200"}}));
  std::string junk;
  SECTION("empty DATA") { junk = data_frame(1, ""); }
  SECTION("padding") { junk = frame(FrameType::data, 8, 1, std::string(1, '\xff') + std::string(255, '\0')); }
  SECTION("frames of unknown types") { junk = frame(static_cast<FrameType>(0xee), 0, 1, std::string(100, 'x')); }
  SECTION("window updates") { junk = frame(FrameType::window_update, 0, 0, big_endian(1, 4)); }
  SECTION("PINGs that are answered") { junk = frame(FrameType::ping, 0, 0, "12345678"); }
  SECTION("settings") { junk = setting(4, 65535); }
  SECTION("heads for a stream that is over") {
    t.client.forget(answer);
    t.take();
    junk = answer_head(1, {{":status", "200"}});
  }
  const int puts = t.put_until_over(1'000'000, [&](int) { return junk; });
  CHECK(puts < 30'000);
  CHECK(t.client.is_over());
  CHECK(goaway_of(t.frames()) == enhance_your_calm);
  if (!t.asked.back()->answer.is_linked() && answer.fault()) CHECK(fault_of(answer).starts_with("limit_exceeded response: "));
}

TEST_CASE("HTTP/2: what was underway to cancelled requests is no flood", "[net]") {
  ClientRig t;
  SECTION("a large answer") {
    Http2Answer& large = t.ask();
    Http2Answer& other = t.ask();
    REQUIRE(t.put(server_greeting + answer_head(1, {{":status", "200"}}) + data_frame(1, "begun")));
    t.client.forget(large);
    t.take();
    for (int i = 0; i < 60; ++i) REQUIRE(t.put(data_frame(1, std::string(16 * 1024, 'x'))));
    REQUIRE(t.put(answer_head(3, {{":status", "200"}}, head_and_end)));
    CHECK(fault_of(other) == "none");
  }
  SECTION("many small ones") {
    t.put(server_greeting);
    for (std::uint32_t stream = 1; stream < 20'000; stream += 2) {
      Http2Answer& small = t.ask();
      t.client.forget(small);
      t.take();
      REQUIRE(t.put(answer_head(stream, {{":status", "200"}, {"x", std::string(100, 'x')}}) + data_frame(stream, "late", flag_end_stream)));
    }
  }
  SECTION("and more than that is one") {
    Http2Answer& large = t.ask();
    t.put(server_greeting + answer_head(1, {{":status", "200"}}));
    t.client.forget(large);
    t.take();
    CHECK(t.put_until_over(1000, [](int) { return data_frame(1, std::string(16 * 1024, 'x')); }) < 90);
  }
}

TEST_CASE("HTTP/2: what seventeen attacks of a server cost", "[net]") {
  REQUIRE(attacks().size() == 17);
  for (const Attack& attack : attacks()) {
    INFO(attack.name);
    ClientRig t;
    Http2Answer& answer = t.ask();
    t.put(server_greeting + attack.before(1));
    const std::string frames = attack.frames(1);
    std::size_t bytes = 0;
    while (!answer.fault() && bytes < 2'000'000 && t.put(frames)) bytes += frames.size();
    CHECK(answer.fault());
    CHECK(bytes <= 300'000);  // at most a frame for nine of them
    CHECK(t.sent.size() <= 600'000);
    t.client.forget(answer);
    for (std::size_t later = 0; later < 2'000'000 && t.put(frames); later += frames.size()) bytes += frames.size();
    CHECK(bytes <= 600'000);
  }
}

TEST_CASE("HTTP/2: content without room in the account ends its own answer", "[net]") {
  ClientRig t;
  Http2Answer& first = t.ask();
  Http2Answer& second = t.ask();
  t.put(server_greeting + answer_head(1, {{":status", "200"}}) + answer_head(3, {{":status", "200"}}));
  t.room = 10;
  REQUIRE(t.put(data_frame(1, "12345678") + data_frame(3, "12345678")));
  CHECK(fault_of(first) == "none");
  CHECK(fault_of(second) ==
        "limit_exceeded response: there is no memory for the answer's content: too much of other answers is not read yet");
  CHECK(count_of(t.frames(), FrameType::rst_stream) == 1);
}
