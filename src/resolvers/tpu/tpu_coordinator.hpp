// The coordinator's address: given, or a socket that is bound here.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>
#include <optional>
#include <string>

#include "rollcall/call.hpp"

namespace rollcall {

/// Binds once; the socket lives as long as this object.
class LocalCoordinator {
 public:
  /// `host:port`. The host is this VM's primary address by the metadata server, 127.0.0.1 for `is_local`; the socket listens on
  /// that address. Where it is not one of this machine's (containers) the port is bound on all addresses, and nobody listens. Errors: the
  /// metadata server's; unavailable when no socket can be bound. [facts: tpu-coordinator]
  asio::awaitable<Result<std::string>> address(Call& call, bool is_local);
  int descriptor() const { return acceptor_ ? const_cast<asio::ip::tcp::acceptor&>(*acceptor_).native_handle() : -1; }

 private:
  std::optional<asio::ip::tcp::acceptor> acceptor_;
  std::string address_;
};

}  // namespace rollcall
