// The interface between the library and the network: one HTTP exchange. A non-2xx status is an answer here, not an error.
#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall {

/// Observer of one exchange; each call must return quickly and not throw. Used for tracing.
class ExchangeObserver {
 public:
  virtual ~ExchangeObserver() = default;
  virtual void phase_started(Phase phase) noexcept = 0;
  virtual void phase_finished(Phase phase) noexcept = 0;
  /// True: a pooled connection was used; then only Phase::response follows.
  virtual void connection_chosen(bool is_reused) noexcept = 0;
  /// A new connection is made through `proxy`: `http://HOST:PORT`, without credentials.
  virtual void proxy_chosen(std::string_view proxy) noexcept { static_cast<void>(proxy); }
};

/// Limits of one exchange. Time-outs of a phase are counted from the phase's start, or earlier by the time that the exchange has waited for
/// the first connection to the host; zero means no separate limit.
class ExchangeOptions {
 public:
  ExchangeOptions() {}
  SteadyTime deadline = SteadyTime::max();  ///< for the whole exchange; ends in deadline_exceeded
  Duration resolve_timeout = std::chrono::seconds(5);
  Duration connect_timeout = std::chrono::seconds(5);
  Duration handshake_timeout = std::chrono::seconds(5);
  Duration response_timeout = std::chrono::seconds(20);  ///< maximum time without data while the answer is awaited or read
  std::size_t max_header_bytes = 64 * 1024;  ///< header, trailer, and any one chunk extension
  std::size_t max_body_bytes = 8 * 1024 * 1024;  ///< after decoding
  bool allow_proxy = true;
  /// Bytes of the largest TCP segment, both ways, of the connection, which no exchange with another value uses; 0: as the system has it.
  int max_segment = 0;
  /// Of open(): the answer stays open and brings a little now and then, which should not wait behind parts of long answers.
  bool is_watch = false;
  ExchangeObserver* observer = nullptr;
};

/// A response whose body is read in pieces. Destroying it early closes the connection.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  /// Status and headers; body is empty.
  virtual const HttpResponse& head() const = 0;
  /// The next bytes of the decoded body, at least one and at most 64 kB; empty at the end. The view is valid until the next call. May
  /// suspend; cancellable. Errors as HttpTransport::send.
  virtual asio::awaitable<Result<std::string_view>> read() = 0;
};

/// Sends requests. All calls are made on one serial executor. Cancellation (Asio's, terminal) ends an exchange at once with an exception or
/// with Errc::cancelled, and releases its resources.
class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  /// Sends one request and reads the whole answer. The arguments must outlive the await. Errors: unreachable, unknown_host, tls_failed,
  /// malformed_response, limit_exceeded, refused_by_policy, the time-outs. A failure in the phases resolve, connect, handshake and
  /// overall means that the server did not process the request; in any other phase it may have (see HttpRequest::is_repeatable).
  virtual asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) = 0;
  /// Sends one request and returns the body as a stream. `request` and `options` must outlive the await of open(), not the stream.
  virtual asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions& options) = 0;
  /// Closes idle connections and fails exchanges that are in flight.
  virtual void close() = 0;
};

}  // namespace rollcall
