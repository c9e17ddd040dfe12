#include "fleet/entry/body.hpp"

#include <string_view>
#include <utility>

#include "async/async_event.hpp"
#include "fleet/entry/gzip_stream.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t short_body = 1024;  // is not compressed: the gain is too small

// The status of 10,000 members takes tens of milliseconds, so that other coroutines run in between.
asio::awaitable<std::string> gzip_in_turns(std::string_view bytes) {
  constexpr std::size_t a_turn = 128 * 1024;
  const auto stream = std::make_unique<GzipStream>();
  std::string out;
  for (std::size_t at = 0;;) {
    const std::string_view piece = bytes.substr(at, a_turn);
    at += piece.size();
    stream->add(piece, at == bytes.size(), out);
    if (at == bytes.size()) break;
    co_await next_turn();
  }
  out.shrink_to_fit();
  co_return out;
}

}  // namespace

asio::awaitable<Body> pack(std::string text) {
  Body body;
  body.plain = std::make_shared<const std::string>(std::move(text));
  if (body.plain->size() <= short_body) co_return body;
  co_await next_turn();
  std::string packed = co_await gzip_in_turns(*body.plain);
  body.packed = std::make_shared<const std::string>(std::move(packed));
  co_return body;
}

}  // namespace rollcall::fleet
