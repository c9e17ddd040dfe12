// Which host a gRPC server's certificate must be for.
#pragma once

#include <grpcpp/security/tls_certificate_verifier.h>

#include <memory>
#include <string>

namespace rollcall {

/// Accepts certificates for `host` by the rule of net/tls/tls_names.hpp; gRPC's own takes a common name, too. That an authority vouches for
/// the certificate is checked before.
std::shared_ptr<grpc::experimental::CertificateVerifier> make_grpc_verifier(std::string host);

}  // namespace rollcall
