// gcloud's configuration on this machine.
#pragma once

#include <string>
#include <string_view>

#include "google/wire/gcloud_config.hpp"
#include "rollcall/environment.hpp"

namespace rollcall {

/// The value of CredentialFacts::named_by for the login that gcloud itself uses.
inline constexpr std::string_view gcloud_login = "of gcloud's account";

/// CLOUDSDK_CONFIG, else ~/.config/gcloud; empty when neither it nor HOME is set. Errors: invalid_argument: the variable contains a file's
/// content instead of a path.
Result<std::string> gcloud_folder(const Environment& environment);

/// The active configuration: CLOUDSDK_ACTIVE_CONFIG_NAME, else the one that gcloud config configurations activate selected, else `default`.
/// The variable CLOUDSDK_CORE_ACCOUNT takes precedence over its account. Empty if gcloud was never configured. Errors: invalid_argument.
Result<GcloudConfig> read_gcloud_config(const Environment& environment, const Files& files);

}  // namespace rollcall
