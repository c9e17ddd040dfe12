// One channel per worker, kept for the next call. Only grpc_*.cpp files include gRPC.
#pragma once

#include <grpcpp/channel.h>

#include <list>
#include <map>
#include <memory>
#include <string>

#include "rollcall/rpc.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

class GrpcChannels {
 public:
  GrpcChannels(NetworkOptions network, std::shared_ptr<const Files> files) : network_(std::move(network)), files_(std::move(files)) {}

  /// Errors: invalid_argument (no `host:port`, a CA file that cannot be read).
  Result<std::shared_ptr<grpc::Channel>> at(const RpcRequest& request, std::size_t max_message_bytes);
  void clear() noexcept;

 private:
  class Kept {
   public:
    std::string key;
    std::shared_ptr<grpc::Channel> channel;
  };
  Result<std::shared_ptr<grpc::Channel>> make(const RpcRequest& request, std::size_t max_message_bytes);

  NetworkOptions network_;
  std::shared_ptr<const Files> files_;
  std::list<Kept> kept_;  // the one used last first
  std::map<std::string, std::list<Kept>::iterator, std::less<>> by_key_;
};

// A fault of gRPC 1.51, and what every program with callback clients must do about it.

/// gRPC 1.51 ends the threads of its callbacks with the last channel that has made a call, and aborts ("assertion failed: prior > 0")
/// when that channel goes on one of these threads, as it does when a call outlives its transport. After this one channel stays for as
/// long as the process does. To be called before the first callback call; again is harmless.
void keep_grpc_callback_threads();

}  // namespace rollcall
