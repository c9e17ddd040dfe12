// Compresses a text piece by piece.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

namespace rollcall::fleet {

class GzipStream {
 public:
  GzipStream();  ///< throws std::bad_alloc
  ~GzipStream() { deflateEnd(&stream_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  static constexpr std::size_t memory = 270 * 1024;  ///< of one stream, according to zlib.h

  /// Compresses `bytes` and adds to `out` the output that is complete so far; with `is_last`, all of it.
  void add(std::string_view bytes, bool is_last, std::string& out);

 private:
  z_stream stream_{};
};

}  // namespace rollcall::fleet
