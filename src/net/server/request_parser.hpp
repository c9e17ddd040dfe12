// HTTP requests from bytes, for the server: a pure function with a memory. Boost.Beast's parser sits behind it, and a check in front of it:
// what two servers in a row could read as two different requests is refused (RFC 9112, 2.2, 3.2, 5.1, 5.2, 6.1, 6.3).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "net/server/server_exchange.hpp"

namespace rollcall {

class RequestParser {
 public:
  enum class State {
    needs_more,
    complete,  ///< the request is whole; what was not consumed belongs to the next one
    refused,  ///< `refusal()` is the status to answer with
  };

  /// `head_bytes` bounds the head, and what is between two chunks of a body; `body_bytes` a body's data. Beginning a request gives the
  /// memory back that a large one before it took.
  RequestParser(std::size_t head_bytes, std::size_t body_bytes);
  ~RequestParser();

  /// Begins a request, which is written to `into`.
  void start(ServerRequest& into);
  /// Takes bytes; returns how many it consumed. Those that it did not must be handed in again, in front of the next ones.
  std::size_t put(std::string_view bytes);
  /// The same, but takes nothing behind the head: once has_head(), and where there is a body, begin_body() says how it is read on by put().
  std::size_t put_head(std::string_view bytes);
  /// A body of `max_bytes` at most, 413 over it. `is_kept` false: it is read and thrown away. put() alone keeps one of `body_bytes`.
  void begin_body(std::size_t max_bytes, bool is_kept);

  State state() const noexcept;
  int refusal() const noexcept;
  /// The head is whole: what comes now is the body.
  bool has_head() const noexcept;
  /// Of the body, where the head says it.
  std::optional<std::size_t> body_length() const noexcept;
  bool is_http_1_0() const noexcept;
  /// The client wants the connection to go on (of a complete request).
  bool wants_keep_alive() const noexcept;
  /// The client waits for "100 Continue" before it sends the body. True once per request.
  bool take_expectation() noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall
