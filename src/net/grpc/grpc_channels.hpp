// One channel per worker, kept for the next call. Only grpc_*.cpp files include gRPC.
#pragma once

#include <grpcpp/channel.h>

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "net/grpc/grpc_credentials.hpp"
#include "rollcall/rpc.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

class GrpcChannels {
 public:
  GrpcChannels(NetworkOptions network, std::shared_ptr<const Files> files)
      : network_(std::move(network)), credentials_(network_, std::move(files)) {}

  /// The channel that was used last for such requests, or a new one if there is none, or if the certificate files have changed. Errors:
  /// invalid_argument (no `host:port`, unusable files); those of reading the files.
  Result<std::shared_ptr<grpc::Channel>> at(const RpcRequest& request, std::size_t max_message_bytes);
  void clear() noexcept;

 private:
  class Kept {
   public:
    std::string key;
    std::shared_ptr<grpc::Channel> channel;
    std::uint64_t credentials = 0;  // the number of the credentials that it was created with; 0: no TLS
  };
  Result<std::shared_ptr<grpc::Channel>> make(const RpcRequest& request, std::size_t max_message_bytes);

  NetworkOptions network_;
  GrpcCredentials credentials_;
  std::list<Kept> kept_;  // the one used last first
  std::map<std::string, std::list<Kept>::iterator, std::less<>> by_key_;
};

// A bug of gRPC 1.51, and the workaround that every program with callback clients needs.

/// gRPC 1.51 ends the threads of its callbacks with the last channel that has made a call, and aborts ("assertion failed: prior > 0") when
/// that channel is destroyed on one of these threads, as it is when a call outlives its transport. This function creates one channel that
/// is never destroyed. Call it before the first callback call; repeated calls are harmless.
void keep_grpc_callback_threads();

}  // namespace rollcall
