// Which API server is asked, as whom, and how it is reached.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "resolvers/kubernetes/exec_plugin.hpp"
#include "resolvers/kubernetes/pod_account.hpp"
#include "rollcall/credentials.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/target.hpp"

namespace rollcall {

class KubernetesServer {
 public:
  KubernetesServer() {}
  Url root;                                    ///< the path ends with a slash
  std::shared_ptr<const ServerAccess> access;  ///< none: as all other servers
  std::shared_ptr<Credentials> credentials;    ///< none: no token is sent
  std::optional<ExecPlan> plugin;              ///< how the credentials are made; find_kubernetes() turns it into them
  HeaderList headers;                          ///< impersonation
  std::string namespace_name;                      ///< the context's, or the pod's own; not checked
  std::string name_space_from;                 ///< what gave it, for messages
  // For doctor(), printable: "context 'prod' (~/.kube/config, line 9), by KUBECONFIG", "cluster 'c' (…)", "user 'ada' (…)"; empty: none.
  std::string context;
  std::string cluster;
  std::string user;
  std::vector<std::string> configs;            ///< the kubeconfig files that were read
  std::vector<std::string> keys;               ///< files with private keys that were read

  /// `namespace_name`. Errors: invalid_argument, when it cannot be one.
  Result<std::string> own_namespace() const;
};

/// From the options, and from environment and files as they are now. What identities keep, such as the token that a plugin made, is the
/// Runtime's: equal configurations share it. A server that is not verified, and files that others can read or change, are reported as
/// security_warning. Suspends while a file is still to come; cancellable; `options` outlive it. Errors: invalid_argument, not_found
/// (files), failed_precondition (there is no configuration), unimplemented; they name the file and its line.
asio::awaitable<Result<KubernetesServer>> find_kubernetes(Call& call, const KubernetesOptions& options);

/// The options of a `kubernetes:` target whose keys are known ones. Errors: invalid_argument.
Result<KubernetesOptions> kubernetes_options(const Target& target);

/// Whether it may go into a URL as a namespace.
bool is_namespace(std::string_view name) noexcept;
/// The same; empty (all) and `.` (one's own) may be given as well. Errors: invalid_argument.
Result<void> check_namespace(const std::string& name);

/// `https://host[:port][/path]`; `origin` names the text in messages. Errors: invalid_argument.
Result<Url> parse_kubernetes_root(std::string_view origin, std::string_view text);

/// The file of the options, else those of $KUBECONFIG, else ~/.kube/config, whether or not they are there. Errors: invalid_argument: a
/// file's content stands where its path belongs.
Result<std::vector<std::string>> kubeconfig_paths(const Environment& environment, const KubernetesOptions& options);

/// From the file of the options, else those of $KUBECONFIG, else ~/.kube/config; none when no file is named and there is none.
/// Errors: as find_kubernetes.
Result<std::optional<KubernetesServer>> find_in_kubeconfig(const Environment& environment, const Files& files,
                                                           const KubernetesOptions& options);
/// As a pod. `account`: what is known of it already; null: nothing. Errors: failed_precondition.
Result<KubernetesServer> find_own_cluster(const Environment& environment, const Files& files,
                                          std::shared_ptr<PodAccount> account = nullptr);

/// The user's own token, and a name and a password in place of one: what hides tokens hides them, and where no token goes they do not go
/// either. They are called by the user's name.
std::shared_ptr<Credentials> user_token(const KubeUser& user, Secret<std::string> token);
std::shared_ptr<Credentials> user_login(const KubeUser& user);

/// Adds the Impersonate- headers of `user`. Errors: invalid_argument; another text than the file's would be another identity.
Result<void> add_impersonation(const KubeUser& user, HeaderList& headers);

}  // namespace rollcall
