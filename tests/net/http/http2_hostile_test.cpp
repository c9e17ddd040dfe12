// Servers of HTTP/2 that send what brings no answer forward, for as long as they are read: each request ends by its deadline or at a
// bound, and nothing is repeated that may have been carried out.
#include "net/http/http2_server.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

class Attack {
 public:
  std::string_view name;
  std::function<std::string(std::uint32_t stream)> frames;  // again and again
  std::string before = {};
};

std::string head_of(std::uint32_t stream, const SentFields& fields, std::uint8_t flags = flag_end_headers) {
  std::string block;
  for (const auto& [name, value] : fields) block += hpack_field(name, value);
  return frame(FrameType::headers, flags, stream, block);
}

const std::vector<Attack>& attacks() {
  static const std::vector<Attack> all{
      {"empty DATA", [](std::uint32_t s) { return frame(FrameType::data, 0, s, ""); }},
      {"padded DATA", [](std::uint32_t s) { return frame(FrameType::data, 8, s, std::string(1, '\xff') + std::string(255, '\0')); }},
      {"unknown frames", [](std::uint32_t s) { return frame(static_cast<FrameType>(0xbe), 0, s, "x"); }},
      {"window updates", [](std::uint32_t) { return frame(FrameType::window_update, 0, 0, big_endian(1, 4)); }},
      {"window updates of the stream", [](std::uint32_t s) { return frame(FrameType::window_update, 0, s, big_endian(1, 4)); }},
      {"a window that overflows", [](std::uint32_t) { return frame(FrameType::window_update, 0, 0, big_endian(0x7fffffff, 4)); }},
      {"interim answers", [](std::uint32_t s) { return head_of(s, {{":status", "103"}}); }},
      {"PINGs", [](std::uint32_t) { return frame(FrameType::ping, 0, 0, "12345678"); }},
      {"settings", [](std::uint32_t) { return frame(FrameType::settings, 0, 0, big_endian(4, 2) + big_endian(65535, 4)); }},
      {"a table of 1 GiB", [](std::uint32_t) { return frame(FrameType::settings, 0, 0, big_endian(1, 2) + big_endian(1 << 30, 4)); }},
      {"CONTINUATION", [](std::uint32_t) { return std::string(); }, "continuation"},
      {"priorities", [](std::uint32_t s) { return frame(FrameType::priority, 0, s, std::string(5, '\0')); }},
      {"a push", [](std::uint32_t s) { return frame(FrameType::push_promise, flag_end_headers, s, big_endian(2, 4) + call_head("/x")); }},
      {"a head of references",
       [](std::uint32_t s) {
         std::string block = hpack_field("a", std::string(3900, 'v'), true);
         return frame(FrameType::headers, flag_end_headers, s, hpack_field(":status", "200") + block + std::string(10'000, '\xbe'));
       }},
      {"heads without end", [](std::uint32_t s) { return head_of(s, {{":status", "200"}}); }},
      {"refused", [](std::uint32_t s) { return frame(FrameType::rst_stream, 0, s, big_endian(7, 4)); }},
      {"GOAWAY", [](std::uint32_t) { return frame(FrameType::goaway, 0, 0, std::string(8, '\0')); }},
  };
  return all;
}

}  // namespace

TEST_CASE("HTTP/2: seventeen attacks of a server") {
  for (const Attack& attack : attacks()) {
    INFO(attack.name);
    int posts = 0;
    std::uint32_t of = 1;
    Http2Fixture net([&](Http2Peer&, std::int32_t stream, const Http2Request&) {
      ++posts;
      of = static_cast<std::uint32_t>(stream);
    });
    HttpRequest post = net.request();
    post.method = HttpMethod::post;
    ExchangeOptions options;
    options.deadline = net.time->now() + 30s;
    const OutcomePtr outcome = net.start(post, options);
    bool has_begun = false;
    for (int i = 0; !outcome->is_done() && i < 5'000; ++i) {
      if (posts > 0 && !net.peers.empty() && net.peers.back().is_open) {
        std::string flood;
        if (attack.before == "continuation") {
          if (!std::exchange(has_begun, true)) flood = frame(FrameType::headers, 0, of, hpack_field(":status", "200"));
          flood += frame(FrameType::continuation, 0, of, "");
        }
        for (int n = 0; n < 50; ++n) flood += attack.frames(of);
        net.peers.back().write(flood);
      }
      net.turn();
      net.time->advance(10ms);
    }
    REQUIRE(outcome->is_done());
    UNSCOPED_INFO(outcome->what());
    CHECK(outcome->result->has_error());
    CHECK(posts <= (attack.name == "refused" || attack.name == "GOAWAY" ? 4 : 1));
  }
}
