// A request to a service, without a connection, and its answer.
#pragma once

#include <asio/cancellation_signal.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async/async_event.hpp"
#include "fleet/wire/event_stream.hpp"
#include "net/server/server_exchange.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall::testing {

/// The client's side of one request.
class ScriptedExchange final : public ServerExchange {
 public:
  ServerRequest asked;
  HttpResponse answered;
  std::shared_ptr<const std::string> shared_body;
  std::string written;           ///< of a stream
  std::vector<SteadyTime> at;    ///< when each event was written
  std::vector<fleet::ServerEvent> events;
  std::chrono::milliseconds retry{0};
  bool is_streamed = false, is_stream_ended = false, is_done = false;
  asio::cancellation_signal signal;
  std::shared_ptr<TimeSource> time;
  std::function<void()> on_chunk;  ///< called after each chunk

  const ServerRequest& request() const override { return asked; }
  asio::awaitable<bool> reply(const HttpResponse& response) override {
    answered = response;
    note_answer(response.status, response.body.size());
    co_return !is_closed();
  }
  asio::awaitable<bool> reply(const HttpResponse& head, std::shared_ptr<const std::string> body) override {
    answered = head;
    answered.body = *body;
    note_answer(head.status, body->size());
    shared_body = std::move(body);
    co_return !is_closed();
  }
  asio::awaitable<bool> start_chunks(const HttpResponse& head) override {
    answered = head;
    note_answer(head.status, 0);
    is_streamed = true;
    co_return !is_closed();
  }
  asio::awaitable<bool> write_chunk(std::string_view bytes) override {
    written += bytes;
    note_chunk(bytes.size());
    static_cast<void>(reader_.feed(bytes));
    while (std::optional<fleet::ServerEvent> event = reader_.next()) {
      events.push_back(std::move(*event));
      at.push_back(time->now());
    }
    if (reader_.retry()) retry = *reader_.retry();
    if (on_chunk) on_chunk();
    co_return !is_closed();
  }
  asio::awaitable<bool> end_chunks() override {
    is_stream_ended = true;
    co_return !is_closed();
  }
  asio::awaitable<bool> write_raw(std::string_view) override { co_return false; }
  asio::awaitable<bool> wait_writable() override {
    while (is_stuck_ && !is_closed()) {
      const bool is_woken = co_await room_.wait();
      if (!is_woken) co_return false;
    }
    co_return !is_closed();
  }
  void reset() override {}

  void leave() {
    note_closed();
    room_.wake();
  }
  /// A slow reader: writing suspends until stick(false).
  void stick(bool on) {
    is_stuck_ = on;
    room_.wake();
  }
  std::string types() const {
    std::string all;
    for (const fleet::ServerEvent& event : events) all += (all.empty() ? "" : " ") + event.type;
    return all;
  }
  const fleet::ServerEvent& last() const { return events.back(); }

 private:
  void on_watched() override {}
  fleet::EventStreamReader reader_{1 << 20};
  AsyncEvent room_;
  bool is_stuck_ = false;
};

using ExchangePtr = std::shared_ptr<ScriptedExchange>;

}  // namespace rollcall::testing
