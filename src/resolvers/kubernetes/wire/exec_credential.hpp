// What an exec plugin of a kubeconfig is told, and what it answers [facts: k8s-exec-plugin].
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// True for the API versions that both sides speak: client.authentication.k8s.io/v1 and /v1beta1.
bool is_exec_api_version(std::string_view text) noexcept;

/// The cluster that a plugin is told about, if it asks (provideClusterInfo).
class ExecCluster {
 public:
  ExecCluster() {}
  std::string server;           ///< as the kubeconfig has it
  std::string tls_server_name;
  bool skips_verification = false;
  std::string authorities;      ///< PEM
  std::string proxy_url;
  bool disables_compression = false;
  std::string config;           ///< JSON: the cluster's extension `client.authentication.k8s.io/exec`; empty: none
  friend bool operator==(const ExecCluster&, const ExecCluster&) = default;
};

/// The value of KUBERNETES_EXEC_INFO. `cluster`: null for a plugin that does not ask.
std::string exec_info(std::string_view api_version, bool is_interactive, const ExecCluster* cluster);

/// A token, a client certificate, or both.
class ExecCredential {
 public:
  ExecCredential() {}
  Secret<std::string> token;
  std::string certificate;  ///< PEM
  Secret<std::string> key;  ///< PEM
  std::optional<WallTime> expires_at;
};

/// `json` is what the plugin printed, `api_version` what the kubeconfig wants. Errors: malformed_response and limit_exceeded, which begin
/// with `plugin` and show nothing of the document but its kind and version.
Result<ExecCredential> parse_exec_credential(std::string_view plugin, std::string_view api_version, std::string_view json);

}  // namespace rollcall
