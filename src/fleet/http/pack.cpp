// Bytes packed for all who take gzip: 10,000 members take tens of milliseconds, so the loop goes on in between.
#include <array>
#include <memory>
#include <new>
#include <utility>

#include "async/async_event.hpp"
#include "fleet/http/gzip_stream.hpp"
#include "fleet/http/rendering.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t short_body = 1024;  // packing it does not pay

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

GzipStream::GzipStream() {
  constexpr int gzip_window = 15 + 16;
  constexpr int usual_memory = 8;
  if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

void GzipStream::add(std::string_view bytes, bool is_last, std::string& out) {
  std::array<char, 16 * 1024> ready;
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(ready.data());
    stream_.avail_out = static_cast<uInt>(ready.size());
    deflate(&stream_, is_last ? Z_FINISH : Z_NO_FLUSH);
    out.append(ready.data(), ready.size() - stream_.avail_out);
  } while (stream_.avail_out == 0);
}

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
