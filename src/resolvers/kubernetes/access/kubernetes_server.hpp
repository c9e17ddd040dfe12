// The API server, the identity, and the connection settings for Kubernetes requests.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "resolvers/kubernetes/access/exec_plugin.hpp"
#include "resolvers/kubernetes/access/pod_account.hpp"
#include "rollcall/credentials.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/target.hpp"

namespace rollcall {

class KubernetesServer {
 public:
  KubernetesServer() {}
  Url root;                                    ///< the path ends with a slash
  std::shared_ptr<const ServerAccess> access;  ///< null: as for all other servers
  std::shared_ptr<Credentials> credentials;    ///< null: no token is sent
  std::optional<ExecPlan> plugin;              ///< the program that makes the credentials; find_kubernetes() sets `credentials` from it
  HeaderList headers;                          ///< impersonation
  std::string namespace_name;                      ///< the context's, or the pod's own; not checked
  std::string namespace_from;                 ///< the source of `namespace_name`, for messages
  // Printable texts for doctor(): "context 'prod' (~/.kube/config, line 9), by KUBECONFIG", "cluster 'c' (…)", "user 'ada' (…)"; empty:
  // none.
  std::string context;
  std::string cluster;
  std::string user;
  std::vector<std::string> configs;  ///< the kubeconfig files that were read
  std::vector<std::string> keys;  ///< the files from which private keys were read

  /// `namespace_name`. Errors: invalid_argument if it is not a valid namespace.
  Result<std::string> own_namespace() const;
};

/// From the options and the current environment and files. Credentials that persist, such as a plugin's token, belong to the Runtime, and
/// equal configurations share them. Reports a server that is not verified, and files that other users can read or change, as
/// security_warning. Suspends while a file is missing and may still appear; cancellable; `options` must outlive it. Errors:
/// invalid_argument, not_found (files), failed_precondition (there is no configuration), unimplemented; they name the file and its line.
asio::awaitable<Result<KubernetesServer>> find_kubernetes(Call& call, const KubernetesOptions& options);

/// The options of a `kubernetes:` target whose keys have been checked. Errors: invalid_argument.
Result<KubernetesOptions> kubernetes_options(const Target& target);

/// True if it may stand in a URL as a namespace.
bool is_namespace(std::string_view name) noexcept;
/// The same check, which also accepts an empty name (all) and `.` (the own namespace). Errors: invalid_argument.
Result<void> check_namespace(const std::string& name);
/// The workload of the options, if there is one. Errors: invalid_argument.
Result<void> check_workload(const KubernetesOptions& options);

/// Parses `https://host[:port][/path]`. `origin` names the text in messages. Errors: invalid_argument.
Result<Url> parse_kubernetes_root(std::string_view origin, std::string_view text);

/// The file of the options, else those of $KUBECONFIG, else ~/.kube/config, whether or not they exist. Errors: invalid_argument if a path
/// is the content of a file.
Result<std::vector<std::string>> kubeconfig_paths(const Environment& environment, const KubernetesOptions& options);

/// From the file of the options, else those of $KUBECONFIG, else ~/.kube/config. None if no file is named and none exists.
/// Errors: as find_kubernetes.
Result<std::optional<KubernetesServer>> find_in_kubeconfig(const Environment& environment, const Files& files,
                                                           const KubernetesOptions& options);
/// The API server of the pod that this process runs in. `account`: the account of earlier calls, or null. Errors: failed_precondition.
Result<KubernetesServer> find_own_cluster(const Environment& environment, const Files& files,
                                          std::shared_ptr<PodAccount> account = nullptr);

/// Credentials of a user's own token; of its token file, with the token for as long as the file cannot be read; of the id-token of its
/// auth-provider 'oidc', until that ends; and of a name with a password. A password is treated as a token: it is hidden and withheld in the
/// same cases. Messages name the credentials by the user's name.
std::shared_ptr<Credentials> user_token(const KubeUser& user, Secret<std::string> token);
std::shared_ptr<Credentials> user_token_file(const KubeUser& user, Secret<std::string> token);
std::shared_ptr<Credentials> user_id_token(const KubeUser& user);
std::shared_ptr<Credentials> user_login(const KubeUser& user);

/// Adds the Impersonate- headers of `user`. Errors: invalid_argument; a text is never altered, since it would name another identity.
Result<void> add_impersonation(const KubeUser& user, HeaderList& headers);

}  // namespace rollcall
