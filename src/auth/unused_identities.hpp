// Variables that configure an identity which is not the one that is used: those who set them expect that one, hence they are named.
#pragma once

#include <string>
#include <vector>

#include "auth/wire/credential_file.hpp"
#include "rollcall/environment.hpp"

namespace rollcall {

/// Where the keys of an AWS identity come from.
enum class AwsKeysFrom { environment, container, instance };
AwsKeysFrom aws_keys_from(const Environment& environment);

/// Of AWS's variables those that name another identity, or forbid this one: "AWS_PROFILE". None where the keys are those of the
/// environment, which come first for AWS's own programs, too.
std::vector<std::string> unused_aws_variables(const Environment& environment);
/// The same of Azure's, where the identity service of a machine is asked at `url`.
std::vector<std::string> unused_azure_variables(const Environment& environment, const Url& url);
/// The same of gcloud's and Terraform's, where the credentials were found at `path` (empty: the metadata server's) without having been
/// named.
std::vector<std::string> unused_google_variables(const Environment& environment, const std::string& path);

/// Of the file's own source of an identity, one of the first two; of impersonated accounts, that of their source.
std::vector<std::string> unused_variables_of(const Environment& environment, const CredentialFile& file);

/// "what AWS_PROFILE, AWS_ROLE_ARN say of the identity is not followed: it is that of the instance"; empty: there are none. `used`: whose
/// it is instead.
std::string unused_identity_text(const std::vector<std::string>& variables, std::string_view used);
std::string_view words_of(AwsKeysFrom from) noexcept;

}  // namespace rollcall
