// A connection in memory between a handler of the HTTP server and a client of HttpTransport.
#pragma once

#include <algorithm>
#include <asio/cancellation_signal.hpp>
#include <memory>
#include <string>
#include <utility>

#include "async/timer_queue.hpp"
#include "net/server/answer_writer.hpp"
#include "net/server/http_server.hpp"
#include "net/server/request_parser.hpp"
#include "rollcall/http.hpp"

namespace rollcall::sim {

/// The connection, and the server's end of it.
class PipeExchange final : public AnswerWriter {
 public:
  /// 0, or the status of a refusal.
  int receive(std::string_view text, bool is_https) {
    request_.is_https = is_https;
    request_.peer = "127.0.0.1";
    const ServerLimits limits;
    RequestParser parser(limits.head_bytes, limits.body_bytes);
    parser.start(request_);
    parser.put(text);
    Terms terms;
    terms.is_head = request_.method == "HEAD";
    begin_answer(terms);
    if (parser.state() == RequestParser::State::complete) return 0;
    return parser.state() == RequestParser::State::refused ? parser.refusal() : 400;
  }

  // The server's end.
  const ServerRequest& request() const override { return request_; }
  asio::awaitable<bool> wait_writable() override {
    while (!is_closed() && !is_ended_ && pipe_.size() > short_enough) {
      const bool is_woken = co_await room_.wait();
      if (!is_woken) co_return false;
    }
    co_return !is_closed() && !is_ended_;
  }
  asio::cancellation_signal& signal() noexcept { return signal_; }

  void end() {
    is_ended_ = true;
    arrived_.wake();
  }
  void cut() {
    end();
    leave();
  }
  /// The same by the client's transport, which reports that it was closed.
  void close() {
    is_closed_here_ = true;
    cut();
  }

  // The client's end.
  bool has_arrived() const noexcept { return !pipe_.empty() || is_ended_; }
  bool is_closed_here() const noexcept { return is_closed_here_; }
  bool was_reset() const noexcept { return is_reset(); }
  AsyncEvent& arrived() noexcept { return arrived_; }
  /// The bytes written since the last call; empty at the end.
  std::string take() {
    room_.wake();
    return std::exchange(pipe_, std::string());
  }
  void leave() {
    note_closed();
    room_.wake();
  }

 private:
  asio::awaitable<bool> send(std::span<const std::string_view> pieces) override {
    for (std::string_view piece : pieces) {
      while (!piece.empty()) {
        if (is_closed() || is_ended_) co_return false;
        const std::size_t n = std::min(piece.size(), pipe_bytes - std::min(pipe_bytes, pipe_.size()));
        if (n > 0) {
          pipe_.append(piece.substr(0, n));
          piece.remove_prefix(n);
          arrived_.wake();
          continue;
        }
        const bool is_woken = co_await room_.wait();
        if (!is_woken) co_return false;
      }
    }
    co_return !is_closed();
  }
  void on_watched() override {}  // leave() reports it

  ServerRequest request_;
  asio::cancellation_signal signal_;
  std::string pipe_;
  AsyncEvent arrived_;
  AsyncEvent room_;
  static constexpr std::size_t pipe_bytes = 64 * 1024;
  static constexpr std::size_t short_enough = 16 * 1024;  // as TCP_NOTSENT_LOWAT
  bool is_ended_ = false;
  bool is_closed_here_ = false;
};

/// The client's end. Suspends until the head of the answer has arrived. `options` must outlive the await.
asio::awaitable<Result<std::unique_ptr<HttpStream>>> open_pipe(std::shared_ptr<TimerQueue> timers, std::shared_ptr<PipeExchange> pipe,
                                                               const ExchangeOptions& options, std::string target);

}  // namespace rollcall::sim
