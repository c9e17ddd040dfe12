// HTTP requests from bytes, for the server: a pure function with a memory. Boost.Beast's parser sits behind it.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "net/server/http_server.hpp"

namespace rollcall {

class RequestParser {
 public:
  static constexpr std::size_t max_header_bytes = 64 * 1024;
  static constexpr std::size_t max_body_bytes = 64 * 1024 * 1024;

  enum class State {
    needs_more,
    complete,  ///< the request is whole; what was not consumed belongs to the next one
    refused,   ///< `refusal()` is the status to answer with
  };

  RequestParser();
  ~RequestParser();

  /// Begins a request, which is written to `into`.
  void start(ServerRequest& into);
  /// Takes bytes; returns how many it consumed. Those that it did not must be handed in again, in front of the next ones.
  std::size_t put(std::string_view bytes);

  State state() const noexcept;
  int refusal() const noexcept;
  /// The client wants the connection to go on (of a complete request).
  bool wants_keep_alive() const noexcept;
  /// The client waits for "100 Continue" before it sends the body. True once per request.
  bool take_expectation() noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall
