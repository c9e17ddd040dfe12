#include "fleet/entry/gzip_stream.hpp"

#include <array>
#include <new>

namespace rollcall::fleet {

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

}  // namespace rollcall::fleet
