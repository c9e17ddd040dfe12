// Parses HTTP requests for the server; no I/O. Boost.Beast's parser, with an additional check before it: input that two servers in a chain
// could interpret as two different requests is refused (RFC 9112, 2.2, 3.2, 5.1, 5.2, 6.1, 6.3).
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "net/server/server_exchange.hpp"

namespace rollcall {

class RequestParser {
 public:
  enum class State {
    needs_more,
    complete,  ///< the request is complete; unconsumed bytes belong to the next one
    refused,  ///< `refusal()` is the status to answer with
  };

  /// `head_bytes` limits the head, and the data between two chunks of a body; `body_bytes` a body's data. The begin of a request frees the
  /// large buffers of the one before.
  RequestParser(std::size_t head_bytes, std::size_t body_bytes);
  ~RequestParser();

  /// Begins a request, which is written to `into`.
  void start(ServerRequest& into);
  /// Takes bytes; returns how many it consumed. The others must be passed again, before the next ones.
  std::size_t put(std::string_view bytes);
  /// The same, but stops after the head: once has_head(), and if there is a body, begin_body() selects how put() reads it.
  std::size_t put_head(std::string_view bytes);
  /// A body of at most `max_bytes`, 413 over it. `is_kept` false: it is read and discarded. put() alone keeps a body of at most
  /// `body_bytes`.
  void begin_body(std::size_t max_bytes, bool is_kept);

  State state() const noexcept;
  int refusal() const noexcept;
  /// The head is complete: the following bytes are the body.
  bool has_head() const noexcept;
  bool is_http_1_0() const noexcept;
  /// The client wants to keep the connection open (for a complete request).
  bool wants_keep_alive() const noexcept;
  /// The client waits for "100 Continue" before it sends the body. True once per request.
  bool take_expectation() noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall
