// Parses and merges kubeconfig files. Source: kubernetes.io/docs/reference/config-api/kubeconfig.v1; merging as client-go's clientcmd.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"

namespace rollcall {

/// One entry of a list with its location: "~/.kube/config, line 7".
class KubeEntry {
 public:
  KubeEntry() {}
  std::string name;
  std::string where;
};

class KubeCluster : public KubeEntry {
 public:
  std::string server;
  std::string tls_server_name;
  bool skips_verification = false;
  std::string authority_file;  ///< paths are relative to the working directory, no longer to the kubeconfig
  std::string authority_data;  ///< decoded
  Secret<std::string> proxy_url;  ///< it may hold a password
  bool disables_compression = false;
  std::string exec_config;     ///< JSON: configuration of the cluster for an exec plugin; empty: none
};

/// The program that makes the user's credentials. Source: client-go's ExecConfig.
class KubeExec {
 public:
  KubeExec() {}
  std::string api_version;
  std::string command;  ///< a path if it has a slash, then relative to the working directory
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> variables;
  std::string interactive_mode;
  bool provides_cluster_info = false;
  std::string install_hint;
  friend bool operator==(const KubeExec&, const KubeExec&) = default;
};

class KubeUser : public KubeEntry {
 public:
  Secret<std::string> token;
  std::string token_file;
  std::string username;        ///< of Basic authentication, with `password`
  Secret<std::string> password;
  std::string certificate_file;
  std::string certificate_data;  ///< decoded
  std::string key_file;
  Secret<std::string> key_data;  ///< decoded
  std::string as;
  std::string as_uid;
  std::vector<std::string> as_groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> as_extra;  ///< as-user-extra
  std::optional<KubeExec> exec;
  std::string auth_provider;     ///< the name of a legacy provider: oidc, gcp, azure
  Secret<std::string> id_token;  ///< of that provider, as the next three
  bool can_be_refreshed = false;
  std::string issuer;
  std::string client_id;
};

class KubeContext : public KubeEntry {
 public:
  std::string cluster;
  std::string user;
  std::string namespace_name;
};

class Kubeconfig {
 public:
  Kubeconfig() {}
  std::string current_context;
  std::vector<KubeCluster> clusters;
  std::vector<KubeUser> users;
  std::vector<KubeContext> contexts;

  bool empty() const noexcept { return current_context.empty() && clusters.empty() && users.empty() && contexts.empty(); }
  /// Adds the entries of `later` that this one lacks. The first file that names an entry supplies all of it.
  void merge(Kubeconfig later);
  // Null if there is none.
  const KubeCluster* cluster(std::string_view name) const;
  const KubeUser* user(std::string_view name) const;
  const KubeContext* context(std::string_view name) const;
};

/// Errors: invalid_argument and limit_exceeded. They name the file, the field and the line, never a value that may be a secret.
Result<Kubeconfig> parse_kubeconfig(std::string_view path, std::string_view text);

}  // namespace rollcall
