// Refuses requests that a browser sends on behalf of another site.
#pragma once

#include <optional>

#include "fleet/entry/refusal.hpp"
#include "net/server/server_exchange.hpp"

namespace rollcall::fleet {

/// Set if the request must be refused before the client is authenticated: 421 the Host is another machine, 403 another site's page sent it,
/// 414 its target is too long. `is_for_this_machine`: Host has to name this machine, unless `may_name_other_hosts`.
std::optional<Refusal> refusal_of_origin(const ServerRequest& request, bool is_for_this_machine, bool may_name_other_hosts);

}  // namespace rollcall::fleet
