// Serializes answers, independent of the transport: a socket, or a pipe in memory.
#pragma once

#include <span>
#include <string_view>

#include "net/server/server_exchange.hpp"

namespace rollcall {

class AnswerWriter : public ServerExchange {
 public:
  asio::awaitable<bool> reply(const HttpResponse& response) override { return answer(response, response.body); }
  asio::awaitable<bool> reply(const HttpResponse& head, std::shared_ptr<const std::string> body) override;
  asio::awaitable<bool> start_chunks(const HttpResponse& head) override;
  asio::awaitable<bool> write_chunk(std::string_view bytes) override;
  asio::awaitable<bool> end_chunks() override;
  asio::awaitable<bool> write_raw(std::string_view bytes) override;
  void reset() override { is_reset_ = true; }

 protected:
  /// Properties of the request that the answer depends on.
  class Terms {
   public:
    Terms() {}
    bool keeps_alive = false;
    bool is_head = false;         ///< the method: no answer has a body
    bool takes_chunks = true;     ///< HTTP/1.0 does not support chunks: there the end of the connection ends the body
  };
  /// Call before each request.
  void begin_answer(Terms terms) noexcept;
  /// Sends all pieces in order. They, and their bytes, must live as long as the await. False when the client is gone.
  virtual asio::awaitable<bool> send(std::span<const std::string_view> pieces) = 0;

  /// True if a complete answer was sent, and another request may follow.
  bool may_go_on() const noexcept { return has_replied_ && terms_.keeps_alive && !is_reset_; }
  bool is_reset() const noexcept { return is_reset_; }
  void end_with_this_answer() noexcept { terms_.keeps_alive = false; }
  void go_on_after_this_answer() noexcept { terms_.keeps_alive = true; }

 private:
  asio::awaitable<bool> answer(const HttpResponse& head, std::string_view body);

  Terms terms_;
  bool has_replied_ = false;
  bool is_reset_ = false;
};

}  // namespace rollcall
