// One HTTP/2 connection of the stub. All answers that are ready are written at once. A GET of /events is answered by a line each 5 ms,
// which says when it was sent, in nanoseconds of the steady clock.
#pragma once

#include <array>
#include <asio/buffer.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "answer_delay.hpp"
#include "net/codec/http2_session.hpp"

namespace bench {

/// `Connection`: a stream of TLS.
template <class Connection>
class Http2Answers final : public rollcall::Http2Events, public std::enable_shared_from_this<Http2Answers<Connection>> {
 public:
  using Answer = std::function<std::string(std::string_view target)>;

  /// `delay` must outlive it.
  Http2Answers(Connection connection, AnswerDelay& delay, Answer answer)
      : connection_(std::move(connection)), delay_(delay), answer_(std::move(answer)), session_(limits(), *this, rollcall::SteadyTime()) {}

  asio::awaitable<void> run() {
    const auto self = this->shared_from_this();
    std::string bytes(64 * 1024, '\0');
    std::error_code error;
    flush();
    for (;;) {
      const std::size_t size = co_await connection_.async_read_some(asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
      if (error || !session_.put(std::string_view(bytes.data(), size), rollcall::SteadyTime())) co_return;
      flush();
    }
  }

 private:
  static rollcall::Http2Limits limits() {
    rollcall::Http2Limits made;
    made.resets = made.overhead_bytes = std::size_t{1} << 40;
    return made;
  }

  void on_request(std::int32_t stream, rollcall::Http2Request request) override { targets_[stream] = std::move(request.path); }
  void on_content(std::int32_t stream, std::string_view bytes) override { session_.give_back(stream, bytes.size()); }
  void on_request_end(std::int32_t stream) override {
    if (targets_[stream] == "/events") {
      asio::co_spawn(connection_.get_executor(), give_events(this->shared_from_this(), stream), asio::detached);
      return;
    }
    if (delay_.is_none()) return give(stream);
    asio::co_spawn(connection_.get_executor(), give_later(this->shared_from_this(), stream), asio::detached);
  }
  void on_sent(std::int32_t stream) override { unsent_.erase(stream); }
  void on_stream_end(std::int32_t stream) override { targets_.erase(stream); }

  void give(std::int32_t stream) {
    const auto found = targets_.find(stream);
    if (found == targets_.end()) return;
    const std::string body = answer_(found->second), size = std::to_string(body.size());
    const std::array<std::pair<std::string_view, std::string_view>, 5> head{{{":status", "200"},
                                                                             {"content-type", "application/json; charset=UTF-8"},
                                                                             {"vary", "Origin"},
                                                                             {"server", "stub"},
                                                                             {"content-length", size}}};
    session_.start(stream, head);
    session_.send(stream, rollcall::SharedBytes(body));
    session_.finish(stream, {});
  }
  static asio::awaitable<void> give_later(std::shared_ptr<Http2Answers> self, std::int32_t stream) {
    asio::steady_timer timer(self->connection_.get_executor(), self->delay_.next());
    co_await timer.async_wait(asio::use_awaitable);
    self->give(stream);
    self->flush();
  }
  static asio::awaitable<void> give_events(std::shared_ptr<Http2Answers> self, std::int32_t stream) {
    const std::pair<std::string_view, std::string_view> head[] = {{":status", "200"}};
    self->session_.start(stream, head);
    asio::steady_timer timer(self->connection_.get_executor());
    while (self->targets_.contains(stream)) {
      if (self->unsent_.insert(stream).second) {
        self->session_.send(stream,
                            rollcall::SharedBytes(std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + "\n"));
        self->flush();
      }
      timer.expires_after(std::chrono::milliseconds(5));
      co_await timer.async_wait(asio::use_awaitable);
    }
  }

  void flush() {
    if (std::exchange(is_writing_, true)) return;
    asio::co_spawn(connection_.get_executor(), write_all(this->shared_from_this()), asio::detached);
  }
  static asio::awaitable<void> write_all(std::shared_ptr<Http2Answers> self) {
    std::error_code error;
    for (std::string out; !error; out.clear()) {
      self->session_.take(out, 256 * 1024);
      if (out.empty()) break;
      co_await asio::async_write(self->connection_, asio::buffer(out), asio::redirect_error(asio::use_awaitable, error));
    }
    self->is_writing_ = false;
  }

  Connection connection_;
  AnswerDelay& delay_;
  const Answer answer_;
  std::map<std::int32_t, std::string> targets_;
  std::set<std::int32_t> unsent_;  // streams of events of which one waits to be sent
  bool is_writing_ = false;
  rollcall::Http2Session session_;
};

}  // namespace bench
