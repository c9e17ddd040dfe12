// The kinds of credentials that a file can describe. Each is refreshed on its own; see refreshed_credentials.hpp.
#pragma once

#include <memory>
#include <string_view>

#include "auth/wire/credential_file.hpp"
#include "rollcall/credentials.hpp"

namespace rollcall {

/// The scope of every token: it covers the TPU API and Compute Engine.
inline constexpr std::string_view cloud_platform_scope = "https://www.googleapis.com/auth/cloud-platform";

/// Tokens that the account signs itself, without a request; once one was rejected, those that the token service issues for a signed
/// request, if the universe has one. Source: google.aip.dev/auth/4111; RFC 7523.
std::shared_ptr<Credentials> service_account_credentials(ServiceAccountKey key, const std::string& universe_domain);
/// Source: RFC 6749, section 6.
std::shared_ptr<Credentials> authorized_user_credentials(AuthorizedUser user);
/// The same for a workforce pool, whose refresh token may be replaced with each answer. Source: google.aip.dev/auth/4117.
std::shared_ptr<Credentials> workforce_user_credentials(WorkforceUser user);
/// Source: google.aip.dev/auth/4117; RFC 8693.
std::shared_ptr<Credentials> external_account_credentials(ExternalAccount account);
/// Source: cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken.
std::shared_ptr<Credentials> impersonated_credentials(ImpersonatedAccount account);

/// Of the kind that the file has.
std::shared_ptr<Credentials> credentials_of(CredentialFile file);

}  // namespace rollcall
