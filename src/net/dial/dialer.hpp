// Opens connections: look-up (c-ares), race of both address families (RFC 8305), a proxy's tunnel, TLS.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <memory>

#include "async/timer_queue.hpp"
#include "net/socket/stream.hpp"
#include "rollcall/http.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

/// The addresses that may be connected to.
enum class Reach {
  anywhere,
  near,          ///< loopback and link-local addresses: for the machine's own servers
  this_machine,  ///< loopback addresses: for data that must not leave the machine
};

class Dialer {
 public:
  Dialer(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers, NetworkOptions options);
  ~Dialer();

  /// Connects to the URL's host and port (through the connect-to map, then a proxy where takes_proxy()), with TLS, SNI and verification for
  /// https. Phase time-outs and the deadline of `options` apply, each reported as its own code; the observer sees each phase. Errors:
  /// unknown_host, unreachable, tls_failed (the fault, host, certificate), unauthenticated and permission_denied (the proxy's),
  /// invalid_argument (an unusable proxy or file), resolve_timeout, connect_timeout, handshake_timeout, deadline_exceeded, cancelled.
  /// Cancellable; releases look-ups, sockets and timers. `access`, if any, has this server's trust anchors, certificate and proxy. `reach`
  /// is checked with the addresses, after the connect-to map and the look-up; refused_by_policy when none is left. `waited`: see DialStep.
  /// HTTP/2 is offered if NetworkOptions, `access` and `may_use_http2` allow it.
  asio::awaitable<Result<Stream>> dial(const Url& url, const ExchangeOptions& options, std::shared_ptr<const ServerAccess> access = nullptr,
                                       Reach reach = Reach::anywhere, Duration waited = Duration::zero(), bool may_use_http2 = true);
  /// True if `url` is reached through a proxy. Constant for the same URL, access_number() and `options.allow_proxy`.
  bool takes_proxy(const Url& url, const ExchangeOptions& options, const ServerAccess* access) const;
  /// Connections may only serve requests with the same number; see AccessTable.
  std::uint64_t access_number(const std::shared_ptr<const ServerAccess>& access);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall
