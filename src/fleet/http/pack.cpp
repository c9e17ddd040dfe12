// Bytes packed for all who take gzip: 10,000 members take tens of milliseconds, so the loop goes on in between.
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "async/async_event.hpp"
#include "fleet/http/making.hpp"

namespace rollcall::fleet {
namespace {

class Deflater {
 public:
  Deflater() {
    constexpr int gzip_window = 15 + 16;
    constexpr int usual_memory = 8;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  z_stream stream{};
};

constexpr std::size_t short_body = 1024;  // packing it does not pay

asio::awaitable<std::string> gzip_in_turns(std::string_view bytes) {
  constexpr std::size_t a_turn = 128 * 1024;
  const auto deflater = std::make_unique<Deflater>();
  z_stream& stream = deflater->stream;
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  for (std::size_t at = 0;;) {
    const std::string_view piece = bytes.substr(at, a_turn);
    at += piece.size();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    deflate(&stream, at == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    if (at == bytes.size()) break;
    co_await next_turn();
  }
  out.resize(stream.total_out);
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
