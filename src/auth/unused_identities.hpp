// Variables that configure another identity than the used one: their user may expect that one, hence they are named in a warning.
#pragma once

#include <string>
#include <vector>

#include "auth/wire/credential_file.hpp"
#include "rollcall/environment.hpp"

namespace rollcall {

/// The source of an AWS identity's keys.
enum class AwsKeysFrom { environment, container, instance };
AwsKeysFrom aws_keys_from(const Environment& environment);

/// The AWS variables that name another identity, or disable this one: "AWS_PROFILE". None if the keys come from the environment, which
/// takes precedence in AWS's own programs, too.
std::vector<std::string> unused_aws_variables(const Environment& environment);
/// The same for Azure, where the identity service of a machine is queried at `url`.
std::vector<std::string> unused_azure_variables(const Environment& environment, const Url& url);
/// The same for gcloud and Terraform, where the credentials were found at `path` (empty: the metadata server's) by searching.
std::vector<std::string> unused_google_variables(const Environment& environment, const std::string& path);

/// For the file's own source of an identity, one of the first two; for impersonated accounts, that of their source.
std::vector<std::string> unused_variables_of(const Environment& environment, const CredentialFile& file);

/// "what AWS_PROFILE, AWS_ROLE_ARN say of the identity is not followed: it is that of the instance"; empty: there are none. `used`: the
/// owner of the used identity.
std::string unused_identity_text(const std::vector<std::string>& variables, std::string_view used);
std::string_view words_of(AwsKeysFrom from) noexcept;

}  // namespace rollcall
