// The address of the coordinator: given, or a socket that is bound here.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>
#include <optional>
#include <string>

#include "rollcall/call.hpp"

namespace rollcall {

/// Binds once. The socket lives as long as this object.
class LocalCoordinator {
 public:
  /// `host:port`. The host is this VM's primary address by the metadata server, or 127.0.0.1 for `is_local`. The socket listens on
  /// that address. If the address is not one of this machine's (containers), the port is bound on all addresses without listening. Errors:
  /// the metadata server's; unavailable if no socket can be bound. [facts: tpu-coordinator]
  asio::awaitable<Result<std::string>> address(Call& call, bool is_local);
  int descriptor() const { return acceptor_ ? const_cast<asio::ip::tcp::acceptor&>(*acceptor_).native_handle() : -1; }

 private:
  std::optional<asio::ip::tcp::acceptor> acceptor_;
  std::string address_;
};

}  // namespace rollcall
