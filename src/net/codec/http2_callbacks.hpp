// The callbacks of nghttp2 for the server's side.
#pragma once

#include <nghttp2/nghttp2.h>

#include "net/codec/http2_session.hpp"

namespace rollcall {

class Http2Session::Callbacks {
 public:
  static const nghttp2_session_callbacks* all();
  /// The source of a stream's content.
  static ssize_t read_content(nghttp2_session* nghttp2, std::int32_t id, std::uint8_t* into, std::size_t room, std::uint32_t* flags,
                              nghttp2_data_source* source, void* self);

 private:
  static int on_begin_headers(nghttp2_session* nghttp2, const nghttp2_frame* frame, void* self);
  static int on_header(nghttp2_session* nghttp2, const nghttp2_frame* frame, const std::uint8_t* name_bytes, std::size_t name_size,
                       const std::uint8_t* value_bytes, std::size_t value_size, std::uint8_t flags, void* self);
  static int on_frame(nghttp2_session* nghttp2, const nghttp2_frame* frame, void* self);
  static int on_invalid_frame(nghttp2_session* nghttp2, const nghttp2_frame* frame, int error, void* self);
  static int on_data(nghttp2_session* nghttp2, std::uint8_t flags, std::int32_t stream, const std::uint8_t* bytes, std::size_t size,
                     void* self);
  static int on_stream_close(nghttp2_session* nghttp2, std::int32_t stream, std::uint32_t code, void* self);
  static int on_frame_sent(nghttp2_session* nghttp2, const nghttp2_frame* frame, void* self);
};

}  // namespace rollcall
