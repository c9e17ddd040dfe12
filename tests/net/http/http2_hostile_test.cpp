// Servers of HTTP/2 that send what brings no answer forward, for as long as they are read: each request ends by its deadline or at a
// bound, in bounded memory, and nothing is repeated that may have been carried out.
#include <malloc.h>

#include "net/codec/http2_attacks.hpp"
#include "net/http/http2_server.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

// In the whole process. With a sanitizer's allocator it is 0.
std::size_t allocated_now() {
  const struct ::mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
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
    const std::size_t before = allocated_now();
    std::size_t peak = before;
    for (int i = 0; !outcome->is_done() && i < 5'000; ++i) {
      if (posts > 0 && !net.peers.empty() && net.peers.back().is_open) {
        std::string flood = std::exchange(has_begun, true) ? "" : attack.before(of);
        for (int n = 0; n < 50; ++n) flood += attack.frames(of);
        net.peers.back().write(flood);
      }
      net.turn();
      net.time->advance(10ms);
      peak = std::max(peak, allocated_now());
    }
    REQUIRE(outcome->is_done());
    UNSCOPED_INFO(outcome->what());
    CHECK(outcome->result->has_error());
    CHECK(peak - before < 8'000'000);  // of the server, too
    CHECK(posts <= (attack.name == "GOAWAY" ? 8 : attack.name == "refused" ? 4 : 1));
  }
}
