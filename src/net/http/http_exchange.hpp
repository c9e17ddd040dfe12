// One exchange: a place in the pool, a connection, the request out, the answer in. The steps are plain functions, and the waits between
// them use callbacks: the coroutine that wants the answer is resumed once, when it is there. Only opening a connection is a coroutine. The
// connection implements the wire protocol.
//
// Decision: the waits are callbacks, not awaits. A coroutine's frames for each of them (a turn's room, the socket, room for the answer)
// were a fifth of a resolve's allocations. The waiting coroutine owns the exchange, and an AsyncEvent ends it when the loop is destroyed: a
// pending callback is then destroyed, not called. While the loop runs, an exchange lives until it has settled.
#pragma once

#include <algorithm>
#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/cancellation_state.hpp>
#include <boost/intrusive/list.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "async/async_event.hpp"
#include "async/timer_queue.hpp"
#include "net/codec/inflate.hpp"
#include "net/dial/dialer.hpp"
#include "net/http/http2_connection.hpp"
#include "net/http/pool.hpp"
#include "net/http/read_buffer.hpp"
#include "net/socket/loop_throttle.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

class Exchange;
using ExchangeHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

class HttpCore {
 public:
  HttpCore(asio::any_io_executor loop, std::shared_ptr<TimerQueue> queue, NetworkOptions network, std::shared_ptr<MemoryAccount> account);
  ~HttpCore();

  std::span<char> read_buffer() { return buffer->get(); }
  std::unique_ptr<Inflater> take_inflater();
  void keep_inflater(std::unique_ptr<Inflater> inflater) noexcept { spare_inflater_ = std::move(inflater); }
  void close();

  const asio::any_io_executor executor;
  const std::shared_ptr<TimerQueue> timers;
  const NetworkOptions options;
  const std::shared_ptr<MemoryAccount> memory;  ///< of content that is not read yet; null: not counted
  Dialer dialer;
  const std::shared_ptr<ConnectionPool> pool;
  const std::shared_ptr<ReadBuffer> buffer = std::make_shared<ReadBuffer>();
  /// Maximum number of requests begun, or answers read, in one turn of the loop.
  static constexpr std::size_t steps_per_turn = 8;
  const std::shared_ptr<LoopThrottle> steps;
  std::string request_buffer;  ///< buffer for building requests; wiped after use
  boost::intrusive::list<Exchange, boost::intrusive::base_hook<ExchangeHook>, boost::intrusive::constant_time_size<false>> exchanges;
  bool is_closed = false;

 private:
  std::unique_ptr<Inflater> spare_inflater_;
};

/// Why an exchange is stopped before its answer is complete.
/// By precedence: if two occur in one turn of the loop, the later in this list is reported.
enum class Stop {
  none,
  silence,  ///< ExchangeOptions::response_timeout
  deadline,  ///< ExchangeOptions::deadline
  cancelled,  ///< by the caller
  closed,  ///< the transport was closed
};

/// The failure of an exchange that was stopped in `phase`. `has_begun`: part of the answer had arrived; `silence` is the maximum time
/// without data that was allowed.
Failure failure_of_stop(Stop why, Phase phase, bool has_begun, Duration silence);

class Exchange : public ExchangeHook {
 public:
  /// `request` must be valid until the head has arrived. With `is_stream` the body is returned piece by piece.
  Exchange(std::shared_ptr<HttpCore> core, const HttpRequest& request, const ExchangeOptions& options, bool is_stream);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Proceeds as far as it can without waiting. True: it has settled. The answer is complete; for a stream: the head is there, or later
  /// piece() is not empty or the body has ended; or a connection must be opened, see needs_connection(). Check failure() first afterwards.
  /// `state`: of the calling coroutine.
  bool try_advance(asio::cancellation_state state);
  /// Suspends until it has settled; await it at once when try_advance() returns false.
  asio::awaitable<void> advance();
  /// True if it has settled, but connect() must be awaited, too. An exchange that was stopped meanwhile fails here.
  bool needs_connection();
  /// Opens a connection, more than one if necessary, and proceeds until it has settled.
  asio::awaitable<void> connect();

  /// The coroutine is about to be left by an exception: releases connection and place.
  void abandon() noexcept;
  /// Ends it from outside with Errc::cancelled.
  void close();

  /// Rethrows the exception of a step: out of memory.
  const std::optional<Failure>& failure() const;
  HttpResponse& response() noexcept { return response_; }
  std::string_view piece() const noexcept { return pieces_->part.empty() ? std::string_view(pieces_->text) : pieces_->part; }
  /// Requests the body's next piece: data that arrived with the head, or else data that advance() will read.
  void next_piece();

 private:
  enum class Step {
    start,  ///< not started: waits for its turn among requests that begin
    lease,  ///< waits for a place among the host's connections
    connect,  ///< there is a place but no connection
    write,  ///< the socket accepted only part of the request
    read,  ///< waits for the answer
    take,  ///< the answer is there, or may be: waits for its turn among answers
    turn,  ///< more data is available, but the loop gets its turn first
    finished,  ///< the answer is complete and the connection released; or failed
  };

  // State that only a stream has: most exchanges are none.
  class Pieces {
   public:
    ~Pieces() {
      wipe(text.data(), text.size());
      if (own_buffer) wipe(own_buffer.get(), ReadBuffer::size);
    }
    void clear() noexcept {
      text.clear();
      part = {};
    }
    std::string target;  // for messages, once request_ may be gone
    std::unique_ptr<char[]> own_buffer;  // for a long body, whose pieces are returned from it
    std::string text;
    std::string_view part;  // the piece if it is in own_buffer
  };

  bool is_settled() const noexcept;
  bool has_own_buffer() const noexcept { return pieces_ && pieces_->own_buffer; }
  std::string& body() noexcept { return pieces_ ? pieces_->text : response_.body; }
  Http1Connection& connection() noexcept { return *lease_.connection(); }

  // Waits.
  void resume(std::error_code error) noexcept;
  void resume_later();
  void go_on() noexcept;
  bool take_steps();
  bool must_wait();
  void wait_for_step();
  asio::awaitable<void> dial();

  // Steps. Each leaves step_ at the next wait.
  void proceed(std::error_code error);
  void start();
  void use_lease();
  bool has_begun() const noexcept;
  void after_dial();
  void keep_dial_failure(std::exception_ptr error);
  void begin_response(bool is_reused);
  void use_connection(bool is_reused);
  void share(Stream connected);
  void use_stream(bool is_reused);
  void go_on_writing();
  Step step_after_write();
  Step step_to_answer() noexcept;
  void read();
  std::span<char> read_buffer();
  void take_turn();
  void take(std::string_view bytes);
  void take_head(bool is_gzip, std::optional<std::uint64_t> content_length);
  void take_stream();
  bool start_again(const Failure& failure);
  void start_over();
  void take_end();
  void inflate();
  void on_broken(std::error_code error);
  bool retry_stale();
  void finish();

  // Ends.
  void stop(Stop why) noexcept { stop_ = std::max(stop_, why); }
  void fail_stopped();
  void fail(Failure failure, Phase phase);
  void leave_phase() noexcept;

  // Time.
  void arm(bool in_response);
  SteadyTime due() const noexcept;
  void on_ring() noexcept;
  void interrupt() noexcept;
  /// True if it waited in one.
  bool leave_queues() noexcept;

  const std::shared_ptr<HttpCore> core_;
  const HttpRequest* request_;
  ExchangeOptions options_;
  const bool via_proxy_;
  const Reach reach_;
  bool is_repeatable_ = true;
  bool is_reused_ = false;
  bool was_retried_ = false;
  int free_retries_ = 0;
  bool in_response_ = false;  // response_timeout counts
  bool is_early_ = false;  // Step::take was reached without an event from the socket
  bool is_phase_open_ = false;  // the observer was notified of Phase::response
  bool is_awaited_ = false;  // from within try_advance(), advance() or connect()
  bool wants_piece_ = false;  // the head was returned
  Step step_ = Step::start;
  Stop stop_ = Stop::none;  // any other: cancel() may have been called on the connection
  std::size_t decoded_ = 0;
  SteadyTime progress_{};
  Timer timer_;
  AsyncEvent settled_;
  LoopThrottle::Ticket ticket_;
  PoolWait wait_;
  Lease lease_;
  asio::cancellation_signal dial_signal_;
  std::unique_ptr<Result<Stream>> dialled_;  // apart, since most exchanges are given a connection that is open
  HttpResponse response_;
  std::string encoded_;  // read but not inflated
  std::unique_ptr<Inflater> inflater_;
  const std::unique_ptr<Pieces> pieces_;  // of a stream
  std::unique_ptr<Http2Stream> stream_;  // of a shared connection
  std::optional<Failure> failure_;
  std::exception_ptr thrown_;
};

}  // namespace rollcall
