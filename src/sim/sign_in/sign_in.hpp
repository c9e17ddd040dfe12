// The services for signing in: Google's OAuth service, its security token service, IAM credentials, the test of permissions; and the
// instance metadata server of a machine of AWS, whose identity is exchanged.
#pragma once

#include "rollcall/sim/cloud.hpp"
#include "sim/wire/route.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

/// `/token`, the security token service's `/v1/token` and `/v1/oauthtoken`, and the keys of identity tokens.
Reply answer_oauth(const Context& context, const Request& request, const Route& route);

/// An OAuth error (RFC 6749, section 5.2). Without a description: the service's usual one.
Reply oauth_error(int status, std::string_view error, std::string_view description = {});

/// generateAccessToken of a service account, testIamPermissions of a project.
Reply answer_iam(const Context& context, const Request& request, const Route& route, const ParsedTarget& target);

/// Requires a session (IMDSv2). The file must have such a machine.
Reply answer_imds(const Context& context, const Request& request, const Route& route, const ParsedTarget& target);
Reply imds_error(int status);

}  // namespace rollcall::sim
