// How a kubeconfig's user signs in: which of its settings are used, as client-go chooses them.
#pragma once

#include <string>
#include <string_view>

#include "resolvers/kubernetes/access/kubernetes_server.hpp"
#include "resolvers/kubernetes/access/wire/kubeconfig.hpp"

namespace rollcall {

/// A file that an entry names. `what`, for messages: "client-certificate". Errors: those of the file.
Result<std::string> kubeconfig_pem(const Files& files, const std::string& path, std::string_view what, const KubeEntry& entry);

/// As client-go: an entry with the field as text and as a file is refused. Errors: invalid_argument.
Result<void> check_one_source(std::string_view kind, const KubeEntry& entry, std::string_view field, bool has_data, bool has_file);

/// Adds the user's token, certificate, plugin and impersonation. `has_own_token`: a token of the caller replaces the user's token and
/// plugin, which are then not read. Errors: invalid_argument, unimplemented, not_found and others of the files; they name the user's line.
Result<void> add_user(const Files& files, const KubeCluster& cluster, const KubeUser& user, bool has_own_token, KubernetesServer& server,
                      ServerAccess& access);

}  // namespace rollcall
