// The calls of a gRPC server that stay open both ways, between gRPC's threads and the executor.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <set>

#include "net/grpc/rpc_server_stream.hpp"

namespace rollcall {

class StreamState;
using StreamStatePtr = std::shared_ptr<StreamState>;

/// The calls of a server, which are ended with it. Used by gRPC's threads and the executor, which is not touched after close() once gRPC
/// has done with all calls.
class StreamBook : public std::enable_shared_from_this<StreamBook> {
 public:
  using Taker = std::function<void(std::unique_ptr<RpcServerStream>)>;
  /// `on_stream` is called on the executor; of more than `most` calls at a time the others are refused.
  StreamBook(asio::any_io_executor executor, Taker on_stream, std::size_t most)
      : executor_(std::move(executor)), on_stream_(std::move(on_stream)), most_(most) {}

  /// For gRPC's threads: what gRPC is to tell about a call that has come.
  grpc::ServerGenericBidiReactor* take(grpc::GenericCallbackServerContext& context);
  /// On the executor. Ends all calls (UNAVAILABLE); none begins any more.
  void close();

 private:
  friend class StreamCall;

  bool add(const StreamStatePtr& state);
  void remove(const StreamStatePtr& state);

  std::mutex mutex_;
  bool is_open_ = true;
  std::set<StreamStatePtr> open_;
  asio::any_io_executor executor_;
  Taker on_stream_;
  std::size_t most_;
};

/// What ends a call before it has begun.
grpc::ServerGenericBidiReactor* refused_call(grpc::StatusCode code, const std::string& message);

}  // namespace rollcall
