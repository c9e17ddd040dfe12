// A small HTTP/1.1 server: keep-alive, pipelining, chunked bodies, TLS by SNI; and a server of long-lived gRPC calls over HTTP/2. With its
// default limits it can serve untrusted clients, as a fleet service does; without limits its handlers may send faulty answers on purpose,
// as the simulated cloud's and the tests' do: raw bytes, silence, resets.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "net/server/server_exchange.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time_source.hpp"

struct ssl_ctx_st;

namespace rollcall {

/// Limits per client and in total. The defaults are for a service with untrusted clients. Times and counts of zero mean no limit.
class ServerLimits {
 public:
  ServerLimits() {}
  /// For tests and the simulated cloud, whose clients are trusted: heads of 64 kB, bodies of 64 MiB, no other limit.
  static ServerLimits lax();

  std::size_t head_bytes = 16 * 1024;  ///< of a head (431 over it), and of data that is read ahead while a request is being answered
  std::size_t body_bytes = 64 * 1024;  ///< 413 over it; for a body that is left to the handler see HttpServer::leave_bodies()
  std::size_t all_bodies_bytes = 16 * 1024 * 1024;  ///< of all bodies that handlers read at a time: 503 over it
  /// For a whole head, from its first byte or from the start of a connection, and for a whole body: 408.
  Duration head_time = std::chrono::seconds(10);
  Duration body_time = std::chrono::seconds(10);
  Duration handshake_time = std::chrono::seconds(10);  ///< of TLS, counted from its turn
  Duration idle_time = std::chrono::seconds(75);       ///< between two requests
  Duration write_time = std::chrono::seconds(30);      ///< in which the client must read something, else it is dropped
  std::size_t slowest_reader = 10'000;  ///< bytes per second that a client must read of its answers, after write_time, else it is dropped
  Duration linger_time = std::chrono::seconds(2);  ///< how long data of a refused client is still read
  /// Concurrent connections. When they run out, the one that has been idle longest is closed for the next; if none is idle, clients wait in
  /// the backlog. An address of another machine (an IPv6 /64 network) may have at most as many as are free.
  std::size_t connections = 20'000;
  /// Of them those that have not sent a whole head of a request yet: one more closes the oldest one of these.
  std::size_t newcomers = 0;
  bool refuses_in_silence = false;  ///< a client whose request cannot be read is not answered
  std::size_t handshakes = 64;  ///< concurrent; others wait their turn
  int backlog = 4096;
  int send_buffer = 128 * 1024;  ///< kernel buffer per connection; at most 16 kB of it are unsent data
  int receive_buffer = 64 * 1024;
  bool ends_by_reset = false;  ///< connections end with RST, so that none is left in TIME_WAIT on the port
};

class RpcMethod;

class HttpServer {
 public:
  using Handler = std::function<asio::awaitable<void>(ServerExchange&)>;
  /// Chooses a context by the client's SNI ("" when none); nullptr refuses the handshake. Not owned.
  using TlsChooser = std::function<ssl_ctx_st*(std::string_view server_name)>;

  /// For trusted clients: ServerLimits::lax().
  HttpServer(asio::any_io_executor executor, Handler handler);
  HttpServer(asio::any_io_executor executor, Handler handler, ServerLimits limits, std::shared_ptr<TimeSource> time);
  ~HttpServer();
  /// From now on a body after a head for which `max_bytes` is not 0 is left to the handler, which is called once the head is complete:
  /// ServerExchange::read_body() reads at most this number of bytes, and a handler that answers without it ends the connection. Other
  /// bodies are read first, within ServerLimits::body_bytes, and discarded.
  using BodyRule = std::function<std::size_t(const ServerRequest& head)>;
  void leave_bodies(BodyRule max_bytes);
  /// Listens on `ip`:`port` (0 = any) with TLS when `tls` is set; returns the port. May be called several times.
  Result<std::uint16_t> listen(const std::string& ip, std::uint16_t port, TlsChooser tls = {});
  /// The same for calls of `method` over HTTP/2: a head is a call's metadata, a body one message of its client.
  Result<std::uint16_t> listen_rpc(const std::string& ip, std::uint16_t port, TlsChooser tls, const RpcMethod& method);
  /// Closes the connections whose clients have presented a certificate. Handlers in progress are cancelled.
  void close_certified();
  /// Closes listeners and connections. Handlers in progress are cancelled.
  void stop();
  std::uint64_t requests() const noexcept;
  std::uint64_t connections_accepted() const noexcept;
  std::size_t connections_open() const noexcept;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rollcall
