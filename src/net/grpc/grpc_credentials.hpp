// TLS of channels: trust anchors and a client certificate from the files of NetworkOptions, which are read again when they have changed, as
// for HTTP (net/tls/access_table.hpp). Only grpc_*.cpp files include gRPC.
#pragma once

#include <grpcpp/security/credentials.h>

#include <cstdint>
#include <memory>
#include <string>

#include "net/tls/tls_context.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/error.hpp"

namespace grpc::experimental {
class CertificateProviderInterface;
}

namespace rollcall {

class GrpcCredentials {
 public:
  GrpcCredentials(const NetworkOptions& network, std::shared_ptr<const Files> files) : paths_(network), files_(std::move(files)) {}

  /// Checks whether the files have changed, and reads them if so; while they cannot be used, the earlier content is used. Errors:
  /// invalid_argument naming the file; those of reading it.
  Result<void> refresh();
  /// Changes when the files change: channels with another number use certificates that were renewed since.
  std::uint64_t number() const noexcept { return number_; }
  /// Checks that servers are `verified_host`. After refresh().
  std::shared_ptr<grpc::ChannelCredentials> make(const std::string& verified_host) const;

 private:
  Result<ServerAccess> read() const;

  const TlsFiles paths_;
  const std::shared_ptr<const Files> files_;
  std::string stamp_;  // of the files that were read last
  std::uint64_t number_ = 0;
  bool has_authorities_ = false;
  bool has_identity_ = false;
  std::shared_ptr<grpc::experimental::CertificateProviderInterface> provider_;  // null: the system's trust anchors
};

}  // namespace rollcall
