#include "net/codec/http2_client.hpp"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <span>
#include <utility>

#include "base/saturating.hpp"
#include "base/wiped_buffer.hpp"
#include "net/codec/http2_client_callbacks.hpp"
#include "net/codec/http2_memory.hpp"
#include "net/codec/http2_parts.hpp"
#include "net/codec/request_writer.hpp"

namespace rollcall {
namespace {

// After this many bytes the session checks whether the server still keeps its limits.
constexpr std::size_t checked_bytes = 16 * 1024;

// The fields of a request, in one buffer that is wiped. nghttp2 copies them, with names in lower case, into memory that it wipes.
class RequestFields {
 public:
  RequestFields(const HttpRequest& request, std::string_view user_agent) {
    text_.reserve(request_room(request, user_agent));
    add(":method", to_string(request.method));
    add(":scheme", request.url.is_https ? "https" : "http");
    begin(":authority");
    append_authority(text_, request.url);
    end(NGHTTP2_NV_FLAG_NONE);
    add(":path", request.url.target, NGHTTP2_NV_FLAG_NO_INDEX);
    if (!user_agent.empty()) add("user-agent", user_agent);
    add("accept-encoding", "gzip");
    if (!request.bearer.empty()) {
      begin("authorization");
      text_ += "Bearer ";
      text_ += request.bearer.reveal();
      end(NGHTTP2_NV_FLAG_NO_INDEX);
    }
    request.headers.each([this](std::string_view name, std::string_view value) {
      add(name, value, is_harmless_field(name) ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX);
    });
    if (!request.body.empty() || request.method == HttpMethod::post || request.method == HttpMethod::put) {
      add("content-length", fmt::format_int(request.body.size()).c_str(), NGHTTP2_NV_FLAG_NO_INDEX);
    }
  }
  ~RequestFields() { wipe(text_.data(), text_.size()); }
  RequestFields(const RequestFields&) = delete;
  RequestFields& operator=(const RequestFields&) = delete;

  /// Points into this object.
  std::span<const nghttp2_nv> all() {
    auto* const base = reinterpret_cast<std::uint8_t*>(text_.data());
    std::size_t at = 0;
    for (nghttp2_nv& field : fields_) {
      field.name = base + at;
      field.value = field.name + field.namelen;
      at += field.namelen + field.valuelen;
    }
    return fields_;
  }

 private:
  void add(std::string_view name, std::string_view value, std::uint8_t flags = NGHTTP2_NV_FLAG_NONE) {
    begin(name);
    append_and_wipe(text_, value);
    end(flags);
  }
  void begin(std::string_view name) {
    begun_ = text_.size();
    text_ += name;
    name_size_ = name.size();
  }
  void end(std::uint8_t flags) { fields_.push_back(nghttp2_nv{nullptr, nullptr, name_size_, text_.size() - begun_ - name_size_, flags}); }

  std::string text_;  // names and values in turn
  boost::container::small_vector<nghttp2_nv, 12> fields_;
  std::size_t begun_ = 0;
  std::size_t name_size_ = 0;
};

}  // namespace

Http2Client::Http2Client(Http2ClientLimits limits, Http2ClientEvents& events, SteadyTime now)
    : limits_(limits), events_(events), memory_(std::make_unique<Http2Memory>(limits.memory_bytes)), span_began_(now) {
  const Http2OptionPtr option = http2_options();
  if (!option) return;
  nghttp2_option_set_max_continuations(option.get(), 8);
  nghttp2_mem memory = memory_->calls();
  if (nghttp2_session_client_new3(&session_, Callbacks::all(), this, option.get(), &memory) != 0) session_ = nullptr;
  if (!session_) return;
  const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                             {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits_.stream_window},
                                             {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits_.head_bytes}};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, limits_.window);
}

Http2Client::~Http2Client() {
  for (Http2Answer& answer : answers_) answer.stream_ = 0;
  answers_.clear();
  nghttp2_session_del(session_);
}

bool Http2Client::begin(Http2Answer& answer, const HttpRequest& request, std::string_view user_agent) {
  if (!session_ || is_ending()) return false;
  answer.request_body_ = request.body;
  nghttp2_data_provider body{};
  body.read_callback = Callbacks::read_body;
  RequestFields fields(request, user_agent);
  const std::span<const nghttp2_nv> all = fields.all();
  const std::int32_t stream =
      nghttp2_submit_request(session_, nullptr, all.data(), all.size(), request.body.empty() ? nullptr : &body, &answer);
  if (stream <= 0) {
    is_going_away_ = true;  // the numbers of streams are used up, or the memory
    return false;
  }
  answer.stream_ = stream;
  answers_.push_back(answer);
  ++streams_;
  return true;
}

void Http2Client::forget(Http2Answer& answer) noexcept {
  if (answer.is_linked()) answer.unlink();
  const std::int32_t stream = std::exchange(answer.stream_, 0);
  if (stream == 0 || !session_) return;
  --streams_;
  nghttp2_session_set_stream_user_data(session_, stream, nullptr);
  if (answer.is_sent_) {
    // The server sends its answer until it hears of the reset.
    const std::int32_t window = nghttp2_session_get_stream_local_window_size(session_, stream);
    content_underway_ =
        std::min(content_underway_ + static_cast<std::size_t>(std::max(window, 0)), static_cast<std::size_t>(limits_.window));
    if (!answer.has_head()) ++heads_underway_;
    ++unheard_resets_;
  }
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
}

void Http2Client::note_taken(Http2Answer& answer, std::size_t bytes) noexcept {
  if (session_ && answer.stream_ != 0 && answer.is_in_pieces_) nghttp2_session_consume_stream(session_, answer.stream_, bytes);
}

void Http2Client::ping() noexcept {
  if (session_ && nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr) == 0) ++open_pings_;
}

void Http2Client::roll(SteadyTime now) noexcept {
  if (saturating_difference(now, span_began_) < limits_.span) return;
  span_began_ = now;
  overhead_ = 0;
  forgiven_ = 0;
}

bool Http2Client::put(std::string_view bytes, SteadyTime now) {
  if (check_over()) return false;
  roll(now);
  unheard_resets_ = 0;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, checked_bytes);
    bytes.remove_prefix(part.size());
    overhead_ += part.size();
    note_late_frames(part);
    const auto taken = nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(part.data()), part.size());
    if (taken < 0) {
      is_too_much_ = taken == NGHTTP2_ERR_FLOODED || taken == NGHTTP2_ERR_TOO_MANY_SETTINGS || taken == NGHTTP2_ERR_NOMEM;
      if (complaint_.empty()) complaint_ = nghttp2_strerror(static_cast<int>(taken));
      nghttp2_session_terminate_session(session_, is_too_much_ ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR);
      is_over_ = true;
    } else if (overhead_ > limits_.overhead_bytes + forgiven_) {
      is_too_much_ = is_over_ = true;
      nghttp2_session_terminate_session(session_, NGHTTP2_ENHANCE_YOUR_CALM);
    }
    if (check_over()) return false;
  }
  return true;
}

bool Http2Client::take(std::string& out, std::size_t at_most) {
  while (session_ && out.size() < at_most) {
    const std::uint8_t* bytes = nullptr;
    const auto size = nghttp2_session_mem_send(session_, &bytes);
    if (size < 0) is_over_ = true;
    if (size <= 0) break;
    append_and_wipe(out, std::string_view(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)));
  }
  return !check_over();
}

bool Http2Client::has_output() const noexcept { return session_ && nghttp2_session_want_write(session_) != 0; }

// True: it is over, and all answers have ended.
bool Http2Client::check_over() {
  const bool reads = session_ && nghttp2_session_want_read(session_) != 0;
  if (!reads) is_over_ = true;
  if (!is_over_) return false;
  if (answers_.empty()) return true;
  Failure failure(Errc::malformed_response, fmt::format("the answer is not valid HTTP/2{}{}", complaint_.empty() ? "" : ": ", complaint_));
  if (is_too_much_) failure = Failure(Errc::limit_exceeded, "the server sends too much that brings no answer forward (HTTP/2)");
  // The server's GOAWAY with no stream open: what was begun is not sent any more.
  if (is_going_away_ && !is_too_much_ && complaint_.empty()) failure = failure_of_code(goaway_code_, true);
  if (!session_) failure = Failure(Errc::limit_exceeded, "out of memory for an HTTP/2 connection");
  finish_all(failure.with_phase(Phase::response));
  return true;
}

void Http2Client::end(const Failure& failure) {
  is_over_ = true;
  finish_all(failure);
}

// Events may forget answers.
void Http2Client::finish_all(const Failure& failure) {
  while (!answers_.empty()) {
    Http2Answer& answer = answers_.front();
    answer.unlink();
    if (std::exchange(answer.stream_, 0) != 0) --streams_;
    if (answer.is_over()) continue;
    Failure own = failure;
    if (!answer.is_sent_) own.with_phase(Phase::overall);
    answer.fail(std::move(own));
    announce(answer, true);
  }
}

std::size_t Http2Client::max_streams() const noexcept {
  if (!session_ || is_ending()) return 0;
  return std::min(limits_.streams, nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS));
}

// nghttp2 is silent about frames of streams that are over.
void Http2Client::note_late_frames(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const std::size_t skipped = std::min(frame_left_, bytes.size());
    frame_left_ -= skipped;
    bytes.remove_prefix(skipped);
    const std::size_t taken = std::min(frame_head_.size() - frame_head_size_, bytes.size());
    std::copy_n(bytes.begin(), taken, frame_head_.begin() + static_cast<std::ptrdiff_t>(frame_head_size_));
    frame_head_size_ += taken;
    bytes.remove_prefix(taken);
    if (frame_head_size_ < frame_head_.size()) return;
    frame_head_size_ = 0;
    const auto at = [this](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(frame_head_[i])}; };
    frame_left_ = at(0) << 16 | at(1) << 8 | at(2);
    const bool is_head = at(3) == NGHTTP2_HEADERS;
    const auto stream = static_cast<std::int32_t>((at(5) << 24 | at(6) << 16 | at(7) << 8 | at(8)) & 0x7fffffff);
    if ((is_head || at(3) == NGHTTP2_DATA) && !find(stream)) forgive(is_head, frame_head_.size() + frame_left_);
  }
}

void Http2Client::forgive(bool is_head, std::size_t bytes) noexcept {
  if (is_head && heads_underway_ == 0) return;
  if (is_head) --heads_underway_;
  const std::size_t late = is_head ? bytes : std::min(content_underway_, bytes);
  if (!is_head) content_underway_ -= late;
  forgiven_ += late;
}

void Http2Client::note_progress(std::size_t bytes) noexcept { overhead_ -= std::min(overhead_, bytes); }

void Http2Client::announce(Http2Answer& answer, bool brings_forward) { events_.on_news(answer, brings_forward); }

Http2Answer* Http2Client::find(std::int32_t stream) noexcept {
  return static_cast<Http2Answer*>(nghttp2_session_get_stream_user_data(session_, stream));
}

// A request whose answer has begun was processed: no code of the server says otherwise.
void Http2Client::fail_reset(Http2Answer& answer, std::uint32_t code) {
  if (code == NGHTTP2_HTTP_1_1_REQUIRED) wants_http1_ = true;
  const bool is_refusal = code == NGHTTP2_REFUSED_STREAM || code == NGHTTP2_HTTP_1_1_REQUIRED;
  answer.fail(failure_of_code(code, is_refusal && !answer.has_received_any()));
}

Failure Http2Client::failure_of_code(std::uint32_t code, bool is_unprocessed) const {
  const char* const name = nghttp2_http2_strerror(code);
  if (!is_unprocessed) {
    return Failure(Errc::unreachable, fmt::format("the server reset the request (HTTP/2 {})", name))
        .with_hint("the server, or a proxy in between, gave up the request: try again, and look into its log")
        .with_phase(Phase::response);
  }
  const bool is_calm = is_going_away_ && goaway_code_ == NGHTTP2_ENHANCE_YOUR_CALM;
  const char* const how = is_going_away_ ? "ends the connection" : "refused the request";
  return Failure(is_calm ? Errc::rate_limited : Errc::unreachable,
                 fmt::format("the server {} and did not process the request (HTTP/2 {})", how,
                             is_going_away_ ? nghttp2_http2_strerror(goaway_code_) : name))
      .with_phase(Phase::overall);
}

}  // namespace rollcall
