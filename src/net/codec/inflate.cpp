#include "net/codec/inflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>

#include "base/wiped_buffer.hpp"

namespace rollcall {

class Inflater::Impl {
 public:
  z_stream stream{};
  bool is_whole = true;
};

Inflater::Inflater() : impl_(std::make_unique<Impl>()) {
  if (inflateInit2(&impl_->stream, 15 + 16) != Z_OK) throw std::bad_alloc();  // 16: a gzip header and nothing else
}

Inflater::~Inflater() { inflateEnd(&impl_->stream); }

void Inflater::reset() {
  inflateReset(&impl_->stream);
  impl_->stream.avail_in = 0;
  impl_->is_whole = true;
}

void Inflater::put(std::string_view input) {
  // zlib does not write through next_in.
  impl_->stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
  impl_->stream.avail_in = static_cast<uInt>(input.size());
}

Inflater::Status Inflater::step(std::string& out, std::size_t max_bytes) {
  z_stream& stream = impl_->stream;
  const std::size_t begin = out.size();
  std::size_t end = begin;
  int result = Z_OK;
  // zlib may hold output back although the input is used up: continue until it leaves room unused.
  while (end - begin < max_bytes && (stream.avail_in > 0 || !impl_->is_whole)) {
    const std::size_t room = std::min(max_bytes - (end - begin), std::max<std::size_t>(1024, std::size_t{4} * stream.avail_in));
    if (end + room > out.capacity()) reserve_and_wipe(out, std::max(end + room, 2 * out.capacity()));
    out.resize(end + room);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + end);
    stream.avail_out = static_cast<uInt>(room);
    result = inflate(&stream, Z_NO_FLUSH);
    end += room - stream.avail_out;
    impl_->is_whole = result == Z_STREAM_END;
    if (result == Z_STREAM_END) {
      inflateReset(&stream);
    } else if (result != Z_OK || (stream.avail_in == 0 && stream.avail_out > 0)) {
      break;  // corrupt, or no progress without more input
    }
  }
  out.resize(end);
  if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return Status::corrupt;
  return end - begin == max_bytes ? Status::slice_full : Status::need_input;
}

bool Inflater::is_whole() const noexcept { return impl_->is_whole; }

}  // namespace rollcall
