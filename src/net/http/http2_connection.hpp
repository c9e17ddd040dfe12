// One HTTP/2 connection that exchanges share, and a stream of it: one exchange's request and answer. Bytes are read while there are
// streams; an idle connection has nothing pending, so it does not keep the loop running.
#pragma once

#include <asio/any_io_executor.hpp>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "async/timer_queue.hpp"
#include "json/memory_share.hpp"
#include "net/codec/http2_client.hpp"
#include "net/http/read_buffer.hpp"
#include "net/socket/stream.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {

class Http2Connection;

/// The answer to one request, whose destruction cancels it.
class Http2Stream final : public Http2Answer {
 public:
  using ReadyHook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

  /// `on_ready(context)` is called after wait(), once is_ready().
  Http2Stream(std::shared_ptr<Http2Connection> connection, HttpResponse& into, std::size_t max_header_bytes, std::size_t max_body_bytes,
              bool is_in_pieces, void (*on_ready)(void*), void* context);
  ~Http2Stream();

  /// False: the connection takes no more requests; then the stream has a fault.
  bool begin(const HttpRequest& request, std::string_view user_agent);
  /// The answer is complete, or has a fault; in pieces also: its head has arrived, or there is content.
  bool is_ready() const noexcept;
  void wait() noexcept { is_waiting_ = true; }
  /// True if it was waiting.
  bool stop_waiting() noexcept { return std::exchange(is_waiting_, false); }
  /// Appends content that is there to `out`, of an answer in pieces at most `at_most` bytes.
  void take_content(std::string& out, std::size_t at_most);
  /// The answer is complete, and its content taken.
  bool is_used_up() const noexcept { return is_done() && taken_ == content.size(); }
  /// The head was seen; only content, or the end, makes it ready.
  void note_head_taken() noexcept { is_head_taken_ = true; }
  bool is_head_taken() const noexcept { return is_head_taken_; }
  /// It was begun before the server's limit of streams was known.
  bool was_begun_blindly() const noexcept { return was_begun_blindly_; }
  /// The connection is lost, and nothing of the answer has arrived.
  bool is_lost() const noexcept;
  /// Its time has passed without an answer.
  void note_silence();
  /// When the answer last came forward.
  SteadyTime progress() const noexcept { return progress_; }
  Http2Connection& connection() const noexcept { return *connection_; }

 private:
  friend class Http2Connection;
  const std::shared_ptr<Http2Connection> connection_;
  void (*const on_ready_)(void*);
  void* const context_;
  const bool is_in_pieces_;
  bool is_head_taken_ = false;
  bool is_waiting_ = false;
  bool was_begun_blindly_ = false;
  std::size_t taken_ = 0;  // of content
  MemoryShare unread_;
  SteadyTime begun_{};
  SteadyTime progress_{};
  ReadyHook ready_hook_;
};

class Http2Connection final : public std::enable_shared_from_this<Http2Connection>, private Http2ClientEvents {
 public:
  /// Notified when there may be room for another stream, or the connection is over.
  class Owner {
   public:
    virtual void on_change(Http2Connection& connection) = 0;

   protected:
    ~Owner() = default;
  };

  /// `memory`, which may be null, is charged for content in pieces that is not taken.
  Http2Connection(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers, std::shared_ptr<ReadBuffer> buffer,
                  std::shared_ptr<MemoryAccount> memory, Stream connected);
  ~Http2Connection();

  const bool is_loopback;
  const bool is_near;
  SteadyTime idle_since{};
  Owner* owner = nullptr;  ///< null: the connection is not in a pool any more
  std::size_t slots = 0;   ///< exchanges that may have a stream
  std::size_t expected_streams = 100;  ///< the server's limit until it has said one

  /// The number of further slots, now. A connection of which a sign of life is awaited has none.
  std::size_t room() const noexcept;
  /// The server's limit of streams, if it is known.
  std::optional<std::size_t> max_streams() const noexcept {
    return client_.has_settings() ? std::optional(client_.max_streams()) : std::nullopt;
  }
  /// The server has asked for HTTP/1.1 instead.
  bool wants_http1() const noexcept { return client_.wants_http1(); }
  bool is_usable() const noexcept { return stream_ && !client_.is_ending(); }
  /// Before the first stream of an idle connection: takes what the server has sent meanwhile. False: it is not usable any more.
  bool refresh();
  /// Destroys the socket; streams get no more events.
  void abandon() noexcept;

 private:
  friend class Http2Stream;
  void on_news(Http2Answer& answer, bool brings_forward) override;
  bool admits(Http2Answer& answer, std::size_t bytes) override;

  bool begin(Http2Stream& stream, const HttpRequest& request, std::string_view user_agent);
  void forget(Http2Stream& stream) noexcept;
  void note_silence(const Http2Stream& stream);

  bool is_in_use() const noexcept { return client_.streams() > 0; }
  void ping();
  void flush_later() noexcept;
  void flush();
  bool write();
  bool read_once();
  void on_readable(std::error_code error);
  void settle();
  void update_waits();
  void wait_to_read();
  void lose(Failure failure);
  void on_broken(std::error_code error);
  void wake_ready();
  SteadyTime life_due() const noexcept;
  void set_life_timer();
  void on_life_timer();
  template <class Call>
  auto later(Call call);

  const asio::any_io_executor executor_;
  const std::shared_ptr<TimerQueue> timers_;
  const std::shared_ptr<ReadBuffer> buffer_;
  const std::shared_ptr<MemoryAccount> memory_;
  std::optional<Stream> stream_;  // none: it is over
  Http2Client client_;
  std::string out_;
  std::size_t written_ = 0;  // of out_
  boost::intrusive::list<Http2Stream, boost::intrusive::member_hook<Http2Stream, Http2Stream::ReadyHook, &Http2Stream::ready_hook_>,
                         boost::intrusive::constant_time_size<false>>
      ready_;
  SteadyTime heard_{};  // when bytes last came, or the first of its streams was begun
  SteadyTime now_{};    // while bytes are taken
  SteadyTime pinged_{};
  Timer life_timer_;
  bool is_flush_posted_ = false;
  bool is_wait_for_read_ = false;
  bool is_wait_for_write_ = false;
  bool is_suspect_ = false;  // a stream's time passed, and nothing was heard since it was begun
};

}  // namespace rollcall
