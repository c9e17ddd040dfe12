// The client's side of one HTTP/2 connection, over nghttp2: requests and received bytes in, answers and bytes to send out. It does no I/O,
// and the time is passed in. What a server may cost is limited here; a server that exceeds a limit gets ENHANCE_YOUR_CALM and its
// connection ends.
#pragma once

#include <array>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/codec/http2_answer.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/time.hpp"

struct nghttp2_session;

namespace rollcall {

class Http2Memory;

class Http2ClientLimits {
 public:
  Http2ClientLimits() {}
  std::uint32_t streams = 100;                       ///< concurrent, where the server allows more [facts: http2-streams]
  std::uint32_t head_bytes = 64 * 1024;              ///< announced to the server; each answer has its own limit
  std::uint32_t stream_window = 1024 * 1024;         ///< content of one answer that may be on its way, or lie there unread
  std::int32_t window = 16 * 1024 * 1024;            ///< content on its way of all answers
  std::size_t memory_bytes = 4 * 1024 * 1024;        ///< memory of nghttp2 for this connection
  Duration span = std::chrono::seconds(10);
  std::size_t overhead_bytes = 256 * 1024;  ///< within `span`: frames that bring no answer forward
};

/// Events while bytes are passed in or taken. They must not call the session.
class Http2ClientEvents {
 public:
  /// A part of the answer has arrived: its head, content, or its end. `brings_forward`: something that the server cannot repeat for ever.
  virtual void on_news(Http2Answer& answer, bool brings_forward) = 0;
  /// Content has arrived. False: there is no memory for it, and the answer fails.
  virtual bool admits(Http2Answer&, std::size_t) { return true; }

 protected:
  ~Http2ClientEvents() = default;
};

class Http2Client {
 public:
  /// `events` must outlive it.
  Http2Client(Http2ClientLimits limits, Http2ClientEvents& events, SteadyTime now);
  ~Http2Client();
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;

  /// Begins the request for `answer`; check_request() must have passed. False: out of memory, or the connection takes no more requests.
  bool begin(Http2Answer& answer, const HttpRequest& request, std::string_view user_agent);
  /// Ends the use of `answer`: no further events. The server gets CANCEL if it is not complete.
  void forget(Http2Answer& answer) noexcept;
  /// So much of an answer's content was taken: the server may send as much.
  void note_taken(Http2Answer& answer, std::size_t bytes) noexcept;
  /// Asks the server for a sign of life.
  void ping() noexcept;
  /// PINGs that it has not answered.
  int open_pings() const noexcept { return open_pings_; }

  /// Takes bytes from the server. False: the connection is over once the rest of take() is sent; all answers have ended.
  bool put(std::string_view bytes, SteadyTime now);
  /// Appends bytes to send to `out`, until it has `at_most` bytes or a frame more. False: as put().
  bool take(std::string& out, std::size_t at_most);
  bool has_output() const noexcept;
  /// The connection has ended: ends all answers with `failure`, those that the server cannot have processed in Phase::overall.
  void end(const Failure& failure);

  /// Answers that are neither complete nor forgotten.
  std::size_t streams() const noexcept { return streams_; }
  /// Those, and the ones that were cancelled since the server was heard last: it may not have noticed.
  std::size_t occupied() const noexcept { return streams_ + unheard_resets_; }
  /// The number that may be open at a time: the server's, at most the limit's. 0 also while the server ends the connection.
  std::size_t max_streams() const noexcept;
  /// The server has announced the end of the connection, or it is over: no new requests.
  bool is_ending() const noexcept { return is_going_away_ || is_over_; }
  bool is_over() const noexcept { return is_over_; }
  /// It has asked for HTTP/1.1 instead.
  bool wants_http1() const noexcept { return wants_http1_; }
  /// The server's settings, and so its limits, are known.
  bool has_settings() const noexcept { return has_settings_; }

 private:
  class Callbacks;
  void roll(SteadyTime now) noexcept;
  void note_progress(std::size_t bytes) noexcept;
  void note_late_frames(std::string_view bytes) noexcept;
  void forgive(bool is_head, std::size_t bytes) noexcept;
  void announce(Http2Answer& answer, bool brings_forward);
  Http2Answer* find(std::int32_t stream) noexcept;
  void fail_reset(Http2Answer& answer, std::uint32_t code);
  Failure failure_of_code(std::uint32_t code, bool is_unprocessed) const;
  bool check_over();
  void finish_all(const Failure& failure);

  const Http2ClientLimits limits_;
  Http2ClientEvents& events_;
  std::unique_ptr<Http2Memory> memory_;
  nghttp2_session* session_ = nullptr;
  boost::intrusive::list<Http2Answer, boost::intrusive::constant_time_size<false>> answers_;  // begun and not forgotten
  std::size_t streams_ = 0;
  std::size_t unheard_resets_ = 0;
  std::size_t overhead_ = 0;
  std::array<char, 9> frame_head_{};
  std::size_t frame_head_size_ = 0;  // of it, what was received
  std::size_t frame_left_ = 0;
  std::size_t content_underway_ = 0;  // at most, of answers that were forgotten; the connection's window bounds it
  std::size_t heads_underway_ = 0;  // the same
  std::size_t forgiven_ = 0;  // of overhead_, what was underway
  SteadyTime span_began_;
  int open_pings_ = 0;
  std::uint32_t goaway_code_ = 0;
  std::string complaint_;  // about the server's last invalid frame
  bool is_too_much_ = false;
  bool is_going_away_ = false;
  bool is_over_ = false;
  bool has_settings_ = false;
  bool wants_http1_ = false;
};

}  // namespace rollcall
