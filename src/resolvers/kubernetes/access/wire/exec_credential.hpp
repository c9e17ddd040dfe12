// The input and output of a kubeconfig's exec plugin [facts: k8s-exec-plugin].
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// True for the supported API versions: client.authentication.k8s.io/v1 and /v1beta1.
bool is_exec_api_version(std::string_view text) noexcept;

/// The cluster in the plugin's input, if the kubeconfig requests it (provideClusterInfo).
class ExecCluster {
 public:
  ExecCluster() {}
  std::string server;           ///< as in the kubeconfig
  std::string tls_server_name;
  bool skips_verification = false;
  std::string authorities;      ///< PEM
  std::string proxy_url;
  bool disables_compression = false;
  std::string config;           ///< JSON: the cluster's extension `client.authentication.k8s.io/exec`; empty: none
  friend bool operator==(const ExecCluster&, const ExecCluster&) = default;
};

/// The value of KUBERNETES_EXEC_INFO. `cluster`: null if the plugin does not need it.
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

/// `json` is the plugin's output, `api_version` the kubeconfig's. Errors: malformed_response and limit_exceeded, which begin
/// with `plugin` and show only the kind and version of the document.
Result<ExecCredential> parse_exec_credential(std::string_view plugin, std::string_view api_version, std::string_view json);

}  // namespace rollcall
