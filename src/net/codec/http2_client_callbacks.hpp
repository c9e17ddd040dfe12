// The callbacks of nghttp2 for the client's side.
#pragma once

#include <nghttp2/nghttp2.h>

#include "net/codec/http2_client.hpp"

namespace rollcall {

class Http2Client::Callbacks {
 public:
  static const nghttp2_session_callbacks* all();
  /// The source of a request's body.
  static ssize_t read_body(nghttp2_session* nghttp2, std::int32_t id, std::uint8_t* into, std::size_t room, std::uint32_t* flags,
                           nghttp2_data_source* source, void* self);

 private:
  static int on_begin_headers(nghttp2_session* nghttp2, const nghttp2_frame* frame, void* self);
  static int on_header(nghttp2_session* nghttp2, const nghttp2_frame* frame, const std::uint8_t* name_bytes, std::size_t name_size,
                       const std::uint8_t* value_bytes, std::size_t value_size, std::uint8_t flags, void* self);
  static int on_invalid_header(nghttp2_session* nghttp2, const nghttp2_frame* frame, const std::uint8_t* name_bytes, std::size_t name_size,
                               const std::uint8_t* value_bytes, std::size_t value_size, std::uint8_t flags, void* self);
  static int on_frame(nghttp2_session* nghttp2, const nghttp2_frame* frame, void* self);
  static int on_invalid_frame(nghttp2_session* nghttp2, const nghttp2_frame* frame, int error, void* self);
  static int on_data(nghttp2_session* nghttp2, std::uint8_t flags, std::int32_t stream, const std::uint8_t* bytes, std::size_t size,
                     void* self);
  static int on_stream_close(nghttp2_session* nghttp2, std::int32_t stream, std::uint32_t code, void* self);
  static int on_frame_sent(nghttp2_session* nghttp2, const nghttp2_frame* frame, void* self);
  static int on_frame_not_sent(nghttp2_session* nghttp2, const nghttp2_frame* frame, int error, void* self);
  static void on_headers_end(Http2Client& session, const nghttp2_frame& frame, bool is_end);
};

}  // namespace rollcall
