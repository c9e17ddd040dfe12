// Whom the server takes a request for, as a kubeconfig says.
#pragma once

#include "resolvers/kubernetes/wire/kubeconfig.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {

/// Adds the Impersonate- headers of `user`. Errors: invalid_argument; another text than the file's would be another identity.
Result<void> add_impersonation(const KubeUser& user, HeaderList& headers);

}  // namespace rollcall
