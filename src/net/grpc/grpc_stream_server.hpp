// A gRPC server of one method whose calls stay open both ways, fit for strangers.
#pragma once

#include <asio/any_io_executor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "net/grpc/rpc_server_stream.hpp"
#include "net/tls/pem_files.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

class GrpcStreamOptions {
 public:
  GrpcStreamOptions() {}
  std::string path;  ///< of the method, `/package.Service/Method`; others are UNIMPLEMENTED
  std::vector<std::pair<std::string, std::uint16_t>> addresses;  ///< an IP, and a port (0: any)
  /// Certificate empty: no TLS. Files are read again when they change. With `authorities` clients may show a certificate of theirs.
  TlsFiles tls;
  std::size_t streams = 1000;                ///< over it: RESOURCE_EXHAUSTED
  std::size_t message_bytes = 256 * 1024;    ///< of one that comes
  /// Called on the executor with each call.
  std::function<void(std::unique_ptr<RpcServerStream>)> on_stream;
};

class GrpcStreamServer {
 public:
  /// Starts gRPC, and with it gRPC's own threads. Errors: failed_precondition, naming the address that cannot be had.
  static Result<std::unique_ptr<GrpcStreamServer>> start(asio::any_io_executor executor, GrpcStreamOptions options);
  ~GrpcStreamServer();
  GrpcStreamServer(const GrpcStreamServer&) = delete;
  GrpcStreamServer& operator=(const GrpcStreamServer&) = delete;

  /// Of the addresses, in their order.
  const std::vector<std::uint16_t>& ports() const noexcept;
  /// Ends all calls (UNAVAILABLE), closes the connections and waits for gRPC's threads to be done with them; idempotent.
  void stop();

 private:
  class Impl;
  explicit GrpcStreamServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall
