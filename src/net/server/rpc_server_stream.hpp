// The server's end of a gRPC call that stays open both ways. Over HTTP/2, or in memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "async/async_event.hpp"
#include "base/shared_bytes.hpp"
#include "net/server/server_exchange.hpp"
#include "rollcall/rpc.hpp"

namespace rollcall {

/// All calls on the Runtime's executor; none suspends. Its destructor ends the call, if nobody has.
class RpcServerStream {
 public:
  virtual ~RpcServerStream() = default;
  /// POST of the call's path, with its metadata as headers.
  virtual const ServerRequest& request() const noexcept = 0;
  /// Wakes `event` when a message has come, when there is room for one, and when the client has gone; null: nobody. It must be taken back
  /// before it is destroyed.
  virtual void watch(AsyncEvent* event) noexcept = 0;
  /// What the client has sent; the next message is read from then on.
  virtual std::optional<std::string> take_message() = 0;
  /// What was written before has gone.
  virtual bool is_writable() const noexcept = 0;
  /// Once is_writable().
  virtual void write(SharedBytes message) = 0;
  /// The client has gone, or sends no more.
  virtual bool is_closed() const noexcept = 0;
  /// The last word, at once: what has not gone by now is lost. Once.
  virtual void finish(RpcStatus status, const std::string& message) = 0;
};

}  // namespace rollcall
