// Everything that a resolver needs from outside, in one copyable handle.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rollcall/asio_version.hpp"
#include "rollcall/credentials.hpp"
#include "rollcall/dns.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/http.hpp"
#include "rollcall/log.hpp"
#include "rollcall/program_runner.hpp"
#include "rollcall/proxy_settings.hpp"
#include "rollcall/retry_policy.hpp"
#include "rollcall/rpc.hpp"
#include "rollcall/server_options.hpp"
#include "rollcall/tcp_probe.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall {

/// Reaches `host:port` at another address, as curl's --connect-to does; names, SNI and certificate checks stay those of
/// the original host. Address: `ip:port`, `[v6]:port` or `name:port`; an empty host matches every host, port 0 every port.
class ConnectTo {
 public:
  ConnectTo() {}
  /// `HOST1:PORT1:HOST2:PORT2`, curl's spelling; IPv6 in brackets. Errors: invalid_argument.
  static Result<ConnectTo> parse(std::string_view text);
  std::string from_host;
  std::uint16_t from_port = 0;
  std::string to_host;
  std::uint16_t to_port = 0;
};

/// How the built-in network transport behaves.
class NetworkOptions {
 public:
  NetworkOptions() {}
  std::vector<ConnectTo> connect_to;
  std::string ca_file;                       ///< PEM; used instead of the system's trust anchors when not empty
  std::vector<std::string> dns_servers;      ///< `ip[:port]`; empty: the system's
  std::string user_agent = "rollcall";
  std::string certificate_file;  ///< PEM: a client's certificate and its chain, for every server that requests one; empty: none
  std::string key_file;  ///< PEM, without a passphrase: its key; empty: in certificate_file
  /// For https; plain http never uses a proxy. Absent: from RuntimeOptions::environment. ProxySettings(): none.
  std::optional<ProxySettings> proxy;
  std::size_t max_connections_per_host = 64;
  std::size_t max_idle_connections_per_host = 64;
  Duration max_idle_time = std::chrono::seconds(55);
  bool http2 = true;  ///< HTTP/2 is offered to https servers besides HTTP/1.1; the server chooses
  std::size_t handshakes_per_turn = 4;  ///< TLS handshake steps admitted in one turn of the loop
};

/// Limits of requests and answers.
class Limits {
 public:
  Limits() {}
  std::size_t requests_in_flight_per_host = 64;  ///< further ones wait
  std::size_t rpcs_in_flight = 256;  ///< gRPC calls, to all workers together; further ones wait
  std::size_t max_header_bytes = 64 * 1024;
  std::size_t max_body_bytes = 8 * 1024 * 1024;  ///< of an answer that is read whole
  std::size_t max_stream_bytes = 256 * 1024 * 1024;  ///< of a list over all its pages
  /// Memory for parsed answers and collected lists while they are read, over all calls of the Runtime together.
  std::size_t max_memory_bytes = std::size_t{160} * 1024 * 1024;
  std::size_t max_json_depth = 64;
  std::size_t max_string_bytes = 64 * 1024;  ///< of one value in an answer
  std::size_t max_pages = 1000;
  std::size_t max_endpoints = 65536;  ///< of one node or one list argument
  double retry_budget = 500;  ///< see RetryBudget
};

/// The parts of a Runtime. Default for each empty member: the machine's network, clock, environment, files, credentials.
class RuntimeOptions {
 public:
  RuntimeOptions() {}
  std::shared_ptr<HttpTransport> http;  ///< default: sockets, by `network`
  /// Called once with `http`, or the default one: the result is used instead, such as one that records. Empty: nothing is called.
  std::function<std::shared_ptr<HttpTransport>(std::shared_ptr<HttpTransport> http)> around_http;
  std::shared_ptr<RpcTransport> rpc;  ///< default: gRPC, by `network`; created at the first call that needs it
  std::shared_ptr<DnsTransport> dns;  ///< default: c-ares, by `network`
  std::shared_ptr<TcpProbe> tcp;  ///< default: sockets, by `network`; created at the first call that needs it
  NetworkOptions network;
  std::shared_ptr<TimeSource> time;  ///< default: system_time()
  std::optional<std::uint64_t> random_seed;  ///< default: from the system
  std::shared_ptr<const Environment> environment;  ///< default: the process's
  std::shared_ptr<const Files> files;  ///< default: the file system
  std::shared_ptr<ProgramRunner> programs;  ///< default: system_programs(); runs programs that return credentials, such as exec plugins
  bool has_terminal = false;  ///< standard input is a terminal from which those programs may ask the user
  std::shared_ptr<Credentials> credentials;  ///< default: default_credentials()
  std::shared_ptr<LogSink> log;  ///< default: none
  Limits limits;
  /// For targets that a fleet service can serve. Absent: from the environment (ROLLCALL_SERVER and related). ServerOptions(): none.
  std::optional<ServerOptions> server;
};

class MemoryAccount;

/// Checks whether `path` can serve as NetworkOptions::ca_file. Errors: invalid_argument naming the file.
[[nodiscard]] Result<void> check_ca_file(const std::string& path);
/// Checks whether these can serve as NetworkOptions::certificate_file and key_file; `key` may be empty as there. Errors: invalid_argument
/// naming the file, never its content.
[[nodiscard]] Result<void> check_client_certificate(const std::string& certificate, const std::string& key = {});

/// A copyable handle. All of the library's work happens on `serial`; public calls may be made from any executor and resume on the caller's
/// own. It must run one handler at a time: an io_context that one thread runs, or a strand. Any other executor, such as a thread pool's, is
/// wrapped in a strand. An io_context that several threads run cannot be detected: pass a strand of it.
///
/// Handles, and resolvers, may be dropped on any thread, also after the end of the loop: the state of the last one is destroyed on `serial`
/// while that still runs handlers, else at once.
class [[gnu::abi_tag(ROLLCALL_ASIO_TAG)]] Runtime {
 public:
  explicit Runtime(asio::any_io_executor serial);
  Runtime(asio::any_io_executor serial, RuntimeOptions options);

  /// Cancels calls in flight (they end with Errc::cancelled) and closes idle connections. Later calls fail with Errc::cancelled. Does not
  /// suspend for long; idempotent.
  asio::awaitable<void> close();

  /// The budget of Limits::max_memory_bytes: programs charge the answers that they keep to it. Never null.
  const std::shared_ptr<MemoryAccount>& memory() const noexcept;

  class Impl;

 private:
  friend Impl& impl_of(const Runtime& runtime) noexcept;
  friend const std::shared_ptr<Impl>& shared_impl_of(const Runtime& runtime) noexcept;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rollcall
