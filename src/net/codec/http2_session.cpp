#include "net/codec/http2_session.hpp"

#include <nghttp2/nghttp2.h>

#include <utility>
#include <vector>

#include "net/codec/http2_callbacks.hpp"
#include "net/codec/http2_memory.hpp"
#include "net/codec/http2_parts.hpp"

namespace rollcall {
namespace {

// After this many bytes the session checks whether the client still keeps its limits.
constexpr std::size_t step_bytes = 1024;
nghttp2_nv field_of(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };  // nghttp2 copies names and values
  return nghttp2_nv{bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::vector<nghttp2_nv> fields_of(Http2Session::Fields fields) {
  std::vector<nghttp2_nv> made;
  for (const auto& [name, value] : fields) made.push_back(field_of(name, value));
  return made;
}

std::uint32_t code_of(Http2Session::Why why) noexcept {
  switch (why) {
    case Http2Session::Why::done: return NGHTTP2_NO_ERROR;
    case Http2Session::Why::malformed: return NGHTTP2_PROTOCOL_ERROR;
    case Http2Session::Why::too_much: return NGHTTP2_ENHANCE_YOUR_CALM;
  }
  return NGHTTP2_INTERNAL_ERROR;
}

}  // namespace

Http2Session::Http2Session(Http2Limits limits, Http2Events& events, SteadyTime now)
    : limits_(limits), events_(events), memory_(std::make_unique<Http2Memory>(limits.memory_bytes)), span_began_(now) {
  const Http2OptionPtr option = http2_options();
  if (!option) return;
  nghttp2_mem memory = memory_->calls();
  if (nghttp2_session_server_new3(&session_, Callbacks::all(), this, option.get(), &memory) != 0) session_ = nullptr;
  const std::uint32_t streams = static_cast<std::uint32_t>(limits_.streams);
  const std::uint32_t head = static_cast<std::uint32_t>(limits_.head_bytes);
  const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams},
                                             {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, head},
                                             {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}};
  if (session_) nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
}

Http2Session::~Http2Session() { nghttp2_session_del(session_); }

Http2Session::Stream* Http2Session::find(std::int32_t stream) {
  const auto known = streams_.find(stream);
  return known == streams_.end() ? nullptr : &known->second;
}

bool Http2Session::is_over() const {
  return !session_ || (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0);
}

void Http2Session::roll(SteadyTime now) noexcept {
  if (now - span_began_ < limits_.span) return;
  span_began_ = now;
  resets_ = overhead_ = 0;
}

bool Http2Session::put(std::string_view bytes, SteadyTime now) {
  if (!session_ || is_ending_) return false;
  roll(now);
  while (!bytes.empty()) {
    const std::string_view step = bytes.substr(0, step_bytes);
    bytes.remove_prefix(step.size());
    overhead_ += step.size();
    const ssize_t taken = nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(step.data()), step.size());
    if (taken < 0 && !is_ending_) end(taken == NGHTTP2_ERR_BAD_CLIENT_MAGIC ? Why::malformed : Why::too_much);
    if (resets_ > limits_.resets || overhead_ > limits_.overhead_bytes) end(Why::too_much);
    if (is_ending_) return false;
  }
  return !is_over();
}

bool Http2Session::take(std::string& out, std::size_t at_most) {
  while (session_ && out.size() < at_most) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
    if (size <= 0) {
      is_ending_ = is_ending_ || size < 0;
      break;
    }
    out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
  return !is_ending_ && !is_over();
}

void Http2Session::note_request_end(std::int32_t id) {
  Stream* const stream = find(id);
  if (!stream || std::exchange(stream->is_request_over, true)) return;
  events_.on_request_end(id);
}

void Http2Session::answer(std::int32_t id, Fields head) {
  if (!find(id)) return;
  const std::vector<nghttp2_nv> fields = fields_of(head);
  nghttp2_submit_response(session_, id, fields.data(), fields.size(), nullptr);
}

void Http2Session::start(std::int32_t id, Fields head) {
  if (!find(id)) return;
  nghttp2_data_provider content{};
  content.read_callback = Callbacks::read_content;
  const std::vector<nghttp2_nv> fields = fields_of(head);
  nghttp2_submit_response(session_, id, fields.data(), fields.size(), &content);
}

void Http2Session::send(std::int32_t id, SharedBytes bytes) {
  Stream* const stream = find(id);
  if (!stream) return;
  stream->unsent = std::move(bytes);
  resume(id, *stream);
}

void Http2Session::finish(std::int32_t id, Fields trailers) {
  Stream* const stream = find(id);
  if (!stream || std::exchange(stream->is_finishing, true)) return;
  for (const auto& [name, value] : trailers) stream->trailers.emplace_back(name, value);
  resume(id, *stream);
}

void Http2Session::resume(std::int32_t id, Stream& stream) {
  if (std::exchange(stream.is_waiting, false)) nghttp2_session_resume_data(session_, id);
}

void Http2Session::submit_trailers(nghttp2_session* nghttp2, std::int32_t id, const Stream& stream) {
  std::vector<nghttp2_nv> fields;
  for (const auto& [name, value] : stream.trailers) fields.push_back(field_of(name, value));
  nghttp2_submit_trailer(nghttp2, id, fields.data(), fields.size());
}

void Http2Session::reset(std::int32_t id) {
  if (!find(id)) return;
  count_reset();
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
}

void Http2Session::give_back(std::int32_t stream, std::size_t bytes) {
  if (session_ && bytes > 0) nghttp2_session_consume(session_, stream, bytes);
}

void Http2Session::end(Why why) {
  if (!session_ || std::exchange(is_ending_, true)) return;
  nghttp2_session_terminate_session(session_, code_of(why));
}

}  // namespace rollcall
