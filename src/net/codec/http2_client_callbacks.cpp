#include "net/codec/http2_client_callbacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "net/codec/http2_parts.hpp"

namespace rollcall {
namespace {

// What each step of an answer may cost besides its own bytes: frame heads, padding, acknowledgements.
constexpr std::size_t allowance = 128;

Http2Client& client_of(void* self) noexcept { return *static_cast<Http2Client*>(self); }

}  // namespace

const nghttp2_session_callbacks* Http2Client::Callbacks::all() {
  static const Http2CallbacksPtr made = [] {
    Http2CallbacksPtr owned = http2_callbacks();
    if (!owned) return owned;
    nghttp2_session_callbacks* const callbacks = owned.get();
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, on_invalid_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, on_invalid_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_sent);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, on_frame_not_sent);
    return owned;
  }();
  return made.get();
}

int Http2Client::Callbacks::on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  Http2Answer* const answer = client_of(self).find(frame->hd.stream_id);
  if (answer) answer->begin_head();
  return 0;
}

// A failure here resets the stream; the rest of the head is read and dropped.
int Http2Client::Callbacks::on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name_bytes, std::size_t name_size,
                                      const std::uint8_t* value_bytes, std::size_t value_size, std::uint8_t, void* self) {
  Http2Client& session = client_of(self);
  Http2Answer* const answer = session.find(frame->hd.stream_id);
  if (!answer || answer->add_field(http2_text(name_bytes, name_size), http2_text(value_bytes, value_size))) return 0;
  session.announce(*answer, true);
  return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

// nghttp2 drops the field.
int Http2Client::Callbacks::on_invalid_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t*, std::size_t name_size,
                                              const std::uint8_t*, std::size_t value_size, std::uint8_t, void* self) {
  Http2Client& session = client_of(self);
  Http2Answer* const answer = session.find(frame->hd.stream_id);
  if (!answer || answer->is_over()) return 0;
  answer->count_field(name_size, value_size);
  if (!answer->fault()) return 0;
  session.announce(*answer, true);
  return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

void Http2Client::Callbacks::on_headers_end(Http2Client& session, const nghttp2_frame& frame, bool is_end) {
  Http2Answer* const answer = session.find(frame.hd.stream_id);
  if (!answer || answer->is_over()) return;
  const bool had_head = answer->has_head();
  answer->end_head();
  if (is_end) answer->end();
  if (answer->has_head() && !had_head) session.note_progress(frame.hd.length + allowance);
  if (answer->fault()) nghttp2_submit_rst_stream(session.session_, NGHTTP2_FLAG_NONE, frame.hd.stream_id, NGHTTP2_CANCEL);
  if (answer->has_head() || answer->fault()) session.announce(*answer, !had_head || answer->is_over());
}

int Http2Client::Callbacks::on_frame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  Http2Client& session = client_of(self);
  Http2Answer* const answer = frame->hd.stream_id == 0 ? nullptr : session.find(frame->hd.stream_id);
  const bool is_end = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  switch (frame->hd.type) {
    case NGHTTP2_HEADERS: on_headers_end(session, *frame, is_end); break;
    case NGHTTP2_DATA:
      if (!answer || !is_end || answer->is_over()) break;
      answer->end();
      session.note_progress(allowance);
      session.announce(*answer, true);
      break;
    case NGHTTP2_RST_STREAM:
      if (!answer || answer->is_over()) break;
      session.fail_reset(*answer, frame->rst_stream.error_code);
      session.announce(*answer, true);
      break;
    case NGHTTP2_SETTINGS: session.has_settings_ = true; break;
    case NGHTTP2_PING:
      if ((frame->hd.flags & NGHTTP2_FLAG_ACK) != 0) session.open_pings_ = std::max(0, session.open_pings_ - 1);
      break;
    case NGHTTP2_GOAWAY:
      session.is_going_away_ = true;
      session.goaway_code_ = frame->goaway.error_code;
      session.wants_http1_ = session.wants_http1_ || frame->goaway.error_code == NGHTTP2_HTTP_1_1_REQUIRED;
      break;
    default: break;
  }
  return 0;
}

int Http2Client::Callbacks::on_invalid_frame(nghttp2_session*, const nghttp2_frame* frame, int error, void* self) {
  Http2Client& session = client_of(self);
  session.complaint_ = nghttp2_strerror(error);
  Http2Answer* const answer = frame->hd.stream_id == 0 ? nullptr : session.find(frame->hd.stream_id);
  if (!answer || answer->is_over()) return 0;
  answer->fail(Errc::malformed_response, "the answer is not valid HTTP/2: " + session.complaint_);
  session.announce(*answer, true);
  return 0;
}

int Http2Client::Callbacks::on_data(nghttp2_session* nghttp2, std::uint8_t, std::int32_t stream, const std::uint8_t* bytes,
                                    std::size_t size, void* self) {
  Http2Client& session = client_of(self);
  nghttp2_session_consume_connection(nghttp2, size);
  Http2Answer* const answer = session.find(stream);
  if (!answer || answer->is_over()) return 0;
  session.note_progress(size + allowance);
  if (session.events_.admits(*answer, size)) {
    answer->add_content(http2_text(bytes, size));
  } else {
    answer->fail(Errc::limit_exceeded, "there is no memory for the answer's content: too much of other answers is not read yet");
  }
  if (!answer->is_in_pieces_) nghttp2_session_consume_stream(nghttp2, stream, size);
  if (answer->fault()) nghttp2_submit_rst_stream(nghttp2, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
  session.announce(*answer, true);
  return 0;
}

// The server's GOAWAY closes the streams that it excludes as if they had been refused.
int Http2Client::Callbacks::on_stream_close(nghttp2_session*, std::int32_t stream, std::uint32_t code, void* self) {
  Http2Client& session = client_of(self);
  Http2Answer* const answer = session.find(stream);
  if (!answer) return 0;
  if (std::exchange(answer->stream_, 0) != 0) --session.streams_;
  if (answer->is_over()) return 0;
  if (code == NGHTTP2_REFUSED_STREAM) {
    session.fail_reset(*answer, code);
  } else {
    answer->fail(Errc::malformed_response, fmt::format("the answer is not valid HTTP/2 ({})", nghttp2_http2_strerror(code)));
  }
  session.announce(*answer, true);
  return 0;
}

int Http2Client::Callbacks::on_frame_sent(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  if (frame->hd.type != NGHTTP2_HEADERS) return 0;
  Http2Answer* const answer = client_of(self).find(frame->hd.stream_id);
  if (answer) answer->is_sent_ = true;
  return 0;
}

// Since the server's GOAWAY no requests are sent.
int Http2Client::Callbacks::on_frame_not_sent(nghttp2_session*, const nghttp2_frame* frame, int, void* self) {
  Http2Client& session = client_of(self);
  if (frame->hd.type != NGHTTP2_HEADERS) return 0;
  const auto at = std::find_if(session.answers_.begin(), session.answers_.end(),
                               [frame](const Http2Answer& answer) { return answer.stream_ == frame->hd.stream_id; });
  if (at == session.answers_.end()) return 0;
  Http2Answer& answer = *at;
  answer.stream_ = 0;
  --session.streams_;
  if (answer.is_over()) return 0;
  answer.fail(session.failure_of_code(NGHTTP2_REFUSED_STREAM, true));
  session.announce(answer, true);
  return 0;
}

ssize_t Http2Client::Callbacks::read_body(nghttp2_session*, std::int32_t id, std::uint8_t* into, std::size_t room, std::uint32_t* flags,
                                          nghttp2_data_source*, void* self) {
  Http2Answer* const answer = client_of(self).find(id);
  if (!answer) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  const std::string_view rest = std::string_view(answer->request_body_).substr(answer->body_sent_);
  const std::size_t size = std::min(room, rest.size());
  std::memcpy(into, rest.data(), size);
  answer->body_sent_ += size;
  if (size == rest.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(size);
}

}  // namespace rollcall
