// The server's side of one HTTP/2 connection, over nghttp2: bytes in, events out; answers in, bytes out. It does no I/O, and the time is
// passed in. The cost of a client is limited here; a client that exceeds the limits gets ENHANCE_YOUR_CALM and is not read any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/shared_bytes.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/time.hpp"

struct nghttp2_session;

namespace rollcall {

class Http2Memory;

class Http2Limits {
 public:
  Http2Limits() {}
  std::size_t head_bytes = 16 * 1024;      ///< of a request: names, values, and 32 bytes for each field (RFC 9113, 6.5.2)
  std::size_t streams = 100;               ///< concurrent
  std::size_t memory_bytes = 1024 * 1024;  ///< memory of nghttp2 for this connection; it uses about 10 kB while idle
  Duration span = std::chrono::seconds(10);
  std::size_t resets = 100;                 ///< within `span`: streams that were reset, or refused, by either side
  std::size_t overhead_bytes = 256 * 1024;  ///< within `span`: frames other than content, such as heads, PING and SETTINGS
};

class Http2Request {
 public:
  Http2Request() {}
  std::string method;
  std::string path;
  std::string authority;
  HeaderList headers;
  bool is_too_large = false;  ///< the head is over the limit; this is the part below it
};

/// Events while bytes are passed in or taken. They may answer on the session, but must not call put() or take().
class Http2Events {
 public:
  virtual void on_request(std::int32_t stream, Http2Request request) = 0;
  virtual void on_content(std::int32_t stream, std::string_view bytes) = 0;
  /// No more content follows.
  virtual void on_request_end(std::int32_t stream) = 0;
  /// All content of send() has been taken.
  virtual void on_sent(std::int32_t stream) = 0;
  /// The stream has ended, normally or not. No further events for it.
  virtual void on_stream_end(std::int32_t stream) = 0;

 protected:
  ~Http2Events() = default;
};

class Http2Session {
 public:
  using Fields = std::span<const std::pair<std::string_view, std::string_view>>;  // names in lower case; of an answer `:status` first
  enum class Why { done, malformed, too_much };  ///< NO_ERROR, PROTOCOL_ERROR, ENHANCE_YOUR_CALM

  /// `events` must outlive it.
  Http2Session(Http2Limits limits, Http2Events& events, SteadyTime now);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  /// Takes bytes from the client. False: the connection is over once the rest of take() is sent.
  bool put(std::string_view bytes, SteadyTime now);
  /// Appends bytes to send to `out`, until it has `at_most` bytes or a frame more. False: as put().
  bool take(std::string& out, std::size_t at_most);

  /// The client's settings have arrived: it speaks HTTP/2.
  bool has_begun() const noexcept { return has_begun_; }
  /// A head has begun and is not complete.
  bool is_in_head() const noexcept { return head_of_ != 0; }
  std::size_t streams() const noexcept { return streams_.size(); }

  // Answers. On a stream that has ended they do nothing.
  /// A complete answer without content.
  void answer(std::int32_t stream, Fields head);
  /// The head of an answer with content.
  void start(std::int32_t stream, Fields head);
  /// Once start()ed, and once the last one is on_sent().
  void send(std::int32_t stream, SharedBytes bytes);
  /// The end of an answer with content, after what was sent.
  void finish(std::int32_t stream, Fields trailers);
  /// The stream ends at once; unsent content is dropped.
  void reset(std::int32_t stream);
  /// This many bytes of on_content() have been processed: the client may send as many more. Also for a stream that has ended.
  void give_back(std::int32_t stream, std::size_t bytes);
  /// No new streams are accepted, and the connection ends.
  void end(Why why);

 private:
  class Callbacks;
  class Stream {
   public:
    SharedBytes unsent;
    std::vector<std::pair<std::string, std::string>> trailers;
    bool is_finishing = false;
    bool is_waiting = false;  // for output buffers
    bool is_request_over = false;
  };

  Stream* find(std::int32_t stream);
  void roll(SteadyTime now) noexcept;
  void count_reset() noexcept { ++resets_; }
  void resume(std::int32_t id, Stream& stream);
  void note_request_end(std::int32_t id);
  void submit_trailers(nghttp2_session* nghttp2, std::int32_t id, const Stream& stream);
  bool is_over() const;

  const Http2Limits limits_;
  Http2Events& events_;
  std::unique_ptr<Http2Memory> memory_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, Stream> streams_;
  Http2Request head_;  // of head_of_
  std::int32_t head_of_ = 0;
  std::size_t head_bytes_ = 0;
  SteadyTime span_began_;
  std::size_t resets_ = 0;
  std::size_t overhead_ = 0;
  bool has_begun_ = false;
  bool is_ending_ = false;
};

}  // namespace rollcall
