// Checks of a token's claims, which come before the check of its signature, and the name of its owner.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/rights/wire/json_web_token.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// The maximal difference between the clocks of an issuer and of this machine.
inline constexpr Duration clock_grace = std::chrono::minutes(1);

/// Checks that the token is for this audience, that its end is neither past nor further away than `max`, and that it is already valid and
/// not issued in the future. Errors: unauthenticated; they name the claim and quote nothing of the token.
Result<void> check_claims(const JsonWebToken& token, std::string_view audience, Duration max, WallTime now);

/// `NAMESPACE/ACCOUNT` of `system:serviceaccount:NAMESPACE:ACCOUNT`. Errors: unauthenticated.
Result<std::string> service_account_name(std::string_view subject);

/// `PROJECT/EMAIL` of one of Google's identity tokens. PROJECT is the instance's (format=full), else that of the account's address
/// `NAME@PROJECT.iam.gserviceaccount.com`, and must be one of `projects`. Errors: unauthenticated.
Result<std::string> google_account_name(const JsonWebToken& token, const std::vector<std::string>& projects);

}  // namespace rollcall::fleet
