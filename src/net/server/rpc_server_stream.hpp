// The server's side of a gRPC call that stays open in both directions. Over HTTP/2, or in memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "async/async_event.hpp"
#include "base/shared_bytes.hpp"
#include "net/server/server_exchange.hpp"
#include "rollcall/rpc.hpp"

namespace rollcall {

/// All calls on the Runtime's executor; none suspends. Its destructor ends the call, unless it has ended.
class RpcServerStream {
 public:
  virtual ~RpcServerStream() = default;
  /// POST of the call's path, with its metadata as headers.
  virtual const ServerRequest& request() const noexcept = 0;
  /// Wakes `event` when a message has arrived, when there is room for one, and when the client has gone; null: none. Reset it before the
  /// event is destroyed.
  virtual void watch(AsyncEvent* event) noexcept = 0;
  /// A message of the client; the next one is read from then on.
  virtual std::optional<std::string> take_message() = 0;
  /// Earlier writes have been sent.
  virtual bool is_writable() const noexcept = 0;
  /// May be called only while is_writable() is true.
  virtual void write(SharedBytes message) = 0;
  /// The client has gone, or will send no more.
  virtual bool is_closed() const noexcept = 0;
  /// Ends the call with a status at once: unsent data is lost. Call once.
  virtual void finish(RpcStatus status, const std::string& message) = 0;
};

}  // namespace rollcall
