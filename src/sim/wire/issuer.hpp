// Signs the simulated cloud's tokens: Google's identity tokens, and the Kubernetes API server's tokens of service accounts. The keys are
// made at the first use and are the same for all clouds of a process.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace rollcall::sim {

enum class Issuer { google, kubernetes };

/// A JSON Web Token, RS256.
std::string signed_token(Issuer issuer, const boost::json::object& claims);
/// Its key set (RFC 7517).
boost::json::object key_set(Issuer issuer);
/// The claims of a token that the issuer has signed; none otherwise. The times are not checked.
std::optional<boost::json::object> verified_claims(Issuer issuer, std::string_view token);

/// The `iss` in service accounts' tokens.
inline constexpr std::string_view kubernetes_issuer = "https://kubernetes.default.svc.cluster.local";

}  // namespace rollcall::sim
