// The server's end of one HTTP/2 connection, over nghttp2: bytes in, events out; answers in, bytes out. It does no I/O, and time is handed
// in. What a client may cost is bounded here, and a client that costs more is told so (ENHANCE_YOUR_CALM) and heard no more.
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
  std::size_t streams = 100;               ///< at a time
  std::size_t memory_bytes = 1024 * 1024;  ///< of nghttp2's own for this connection; it has about 10 kB while it is quiet
  Duration span = std::chrono::seconds(10);
  std::size_t resets = 100;                 ///< within `span`: streams that were reset, or refused, by either end
  std::size_t overhead_bytes = 256 * 1024;  ///< within `span`: whatever is no content of a stream, such as heads, PING and SETTINGS
};

class Http2Request {
 public:
  Http2Request() {}
  std::string method;
  std::string path;
  std::string authority;
  HeaderList headers;
  bool is_too_large = false;  ///< its head is over the limit; what is here is the part below it
};

/// What happens while bytes are put in or taken. Within these calls the session may be answered, but not put into or taken from.
class Http2Events {
 public:
  virtual void on_request(std::int32_t stream, Http2Request request) = 0;
  virtual void on_content(std::int32_t stream, std::string_view bytes) = 0;
  /// No more content comes.
  virtual void on_request_end(std::int32_t stream) = 0;
  /// All that was send() has been taken.
  virtual void on_sent(std::int32_t stream) = 0;
  /// The stream is over, in order or not. Nothing is heard of it any more.
  virtual void on_stream_end(std::int32_t stream) = 0;

 protected:
  ~Http2Events() = default;
};

class Http2Session {
 public:
  using Fields = std::span<const std::pair<std::string_view, std::string_view>>;  // names in lower case; of an answer `:status` first
  enum class Why { done, malformed, too_much };  ///< NO_ERROR, PROTOCOL_ERROR, ENHANCE_YOUR_CALM

  /// `events` outlives it.
  Http2Session(Http2Limits limits, Http2Events& events, SteadyTime now);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  /// Takes what the client sent. False: the connection is over once the rest of take() is sent.
  bool put(std::string_view bytes, SteadyTime now);
  /// Appends to `out` what is to be sent, until it has `at_most` bytes or a frame more. False: as put().
  bool take(std::string& out, std::size_t at_most);

  /// The client's settings have come: it speaks HTTP/2.
  bool has_begun() const noexcept { return has_begun_; }
  /// A head has begun and is not whole.
  bool is_in_head() const noexcept { return head_of_ != 0; }
  std::size_t streams() const noexcept { return streams_.size(); }

  // Answers. On a stream that is over they do nothing.
  /// A whole answer without content.
  void answer(std::int32_t stream, Fields head);
  /// The beginning of one with content.
  void start(std::int32_t stream, Fields head);
  /// Once start()ed, and once the last one is on_sent().
  void send(std::int32_t stream, SharedBytes bytes);
  /// The end of one with content, after what was sent.
  void finish(std::int32_t stream, Fields trailers);
  /// The stream ends at once, whatever is on its way.
  void reset(std::int32_t stream);
  /// So many bytes of on_content() are done with: the client may send as many more. Also for a stream that is over.
  void give_back(std::int32_t stream, std::size_t bytes);
  /// No stream begins any more, and the connection is over.
  void end(Why why);

 private:
  class Callbacks;
  class Stream {
   public:
    SharedBytes unsent;
    std::vector<std::pair<std::string, std::string>> trailers;
    bool is_finishing = false;
    bool is_waiting = false;  // for something to send
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
