#include "net/codec/http2_callbacks.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "net/codec/http2_parts.hpp"

namespace rollcall {
namespace {

constexpr std::size_t field_overhead = 32;
// The rest of a head that is too large is read, so that it can be answered; up to this limit.
constexpr std::size_t largest_head_factor = 4;
// A client sends this if it accepts content.
constexpr std::size_t content_a_word = 128;

Http2Session& of(void* self) noexcept { return *static_cast<Http2Session*>(self); }

}  // namespace

const nghttp2_session_callbacks* Http2Session::Callbacks::all() {
  static const Http2CallbacksPtr made = [] {
    Http2CallbacksPtr owned = http2_callbacks();
    if (!owned) return owned;
    nghttp2_session_callbacks* const callbacks = owned.get();
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, on_invalid_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_sent);
    return owned;
  }();
  return made.get();
}

int Http2Session::Callbacks::on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  Http2Session& session = of(self);
  session.head_ = Http2Request();
  session.head_bytes_ = 0;
  session.head_of_ = frame->hd.stream_id;
  return 0;
}

// Trailers are counted, and discarded.
int Http2Session::Callbacks::on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name_bytes, std::size_t name_size,
                                       const std::uint8_t* value_bytes, std::size_t value_size, std::uint8_t, void* self) {
  Http2Session& session = of(self);
  session.head_bytes_ += name_size + value_size + field_overhead;
  if (session.head_bytes_ > largest_head_factor * session.limits_.head_bytes) return NGHTTP2_ERR_CALLBACK_FAILURE;
  Http2Request& head = session.head_;
  head.is_too_large = session.head_bytes_ > session.limits_.head_bytes;
  if (head.is_too_large || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  const std::string_view name = http2_text(name_bytes, name_size);
  const std::string_view value = http2_text(value_bytes, value_size);
  if (name == ":method") {
    head.method = value;
  } else if (name == ":path") {
    head.path = value;
  } else if (name == ":authority") {
    head.authority = value;
  } else if (!name.starts_with(':')) {
    head.headers.add(name, value);
  }
  return 0;
}

int Http2Session::Callbacks::on_frame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  Http2Session& session = of(self);
  const std::int32_t stream = frame->hd.stream_id;
  const bool is_end = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  switch (frame->hd.type) {
    case NGHTTP2_SETTINGS: session.has_begun_ = true; break;
    case NGHTTP2_RST_STREAM: session.count_reset(); break;
    case NGHTTP2_HEADERS:
      session.head_of_ = 0;
      if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
        session.streams_.try_emplace(stream);
        session.events_.on_request(stream, std::move(session.head_));
      }
      if (is_end) session.note_request_end(stream);
      break;
    case NGHTTP2_DATA:
      if (is_end) session.note_request_end(stream);
      break;
    default: break;
  }
  return 0;
}

int Http2Session::Callbacks::on_invalid_frame(nghttp2_session*, const nghttp2_frame*, int, void* self) {
  of(self).head_of_ = 0;
  of(self).count_reset();
  return 0;
}

int Http2Session::Callbacks::on_data(nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* bytes, std::size_t size,
                                     void* self) {
  Http2Session& session = of(self);
  session.overhead_ -= std::min(session.overhead_, size);
  if (session.find(stream)) {
    session.events_.on_content(stream, http2_text(bytes, size));
  } else {
    session.give_back(stream, size);
  }
  return 0;
}

int Http2Session::Callbacks::on_stream_close(nghttp2_session*, std::int32_t stream, std::uint32_t, void* self) {
  Http2Session& session = of(self);
  if (session.head_of_ == stream) session.head_of_ = 0;
  if (session.streams_.erase(stream) > 0) session.events_.on_stream_end(stream);
  return 0;
}

// A client whose request is not complete would keep the stream open.
int Http2Session::Callbacks::on_frame_sent(nghttp2_session* nghttp2, const nghttp2_frame* frame, void* self) {
  Http2Session& session = of(self);
  if (frame->hd.type == NGHTTP2_DATA) session.overhead_ -= std::min(session.overhead_, frame->hd.length / content_a_word);
  const bool is_end = frame->hd.type == NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  const Stream* const stream = is_end ? session.find(frame->hd.stream_id) : nullptr;
  if (stream && !stream->is_request_over) nghttp2_submit_rst_stream(nghttp2, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
  return 0;
}

ssize_t Http2Session::Callbacks::read_content(nghttp2_session* nghttp2, std::int32_t id, std::uint8_t* into, std::size_t room,
                                              std::uint32_t* flags, nghttp2_data_source*, void* self) {
  Http2Session& session = of(self);
  Stream* const stream = session.find(id);
  if (!stream) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  const std::size_t size = stream->unsent.take(reinterpret_cast<char*>(into), room);
  const bool is_all = stream->unsent.size() == 0;
  if (is_all && stream->is_finishing) {
    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    session.submit_trailers(nghttp2, id, *stream);
    return static_cast<ssize_t>(size);
  }
  if (is_all && size > 0) session.events_.on_sent(id);
  if (size > 0) return static_cast<ssize_t>(size);
  stream->is_waiting = true;
  return NGHTTP2_ERR_DEFERRED;
}

}  // namespace rollcall
