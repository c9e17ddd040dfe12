// What gcloud is configured to use on this machine.
#pragma once

#include <string>
#include <string_view>

#include "google/wire/gcloud_config.hpp"
#include "rollcall/environment.hpp"

namespace rollcall {

/// How CredentialFacts::named_by calls the login that gcloud itself uses.
inline constexpr std::string_view gcloud_login = "of gcloud's account";

/// CLOUDSDK_CONFIG, else ~/.config/gcloud; empty when neither it nor HOME is set. Errors: invalid_argument: a file's content stands where
/// a path belongs.
Result<std::string> gcloud_folder(const Environment& environment);

/// The active configuration: CLOUDSDK_ACTIVE_CONFIG_NAME, else what gcloud config configurations activate chose, else `default`. The
/// variable CLOUDSDK_CORE_ACCOUNT comes before its account. Empty where gcloud was never configured. Errors: invalid_argument.
Result<GcloudConfig> read_gcloud_config(const Environment& environment, const Files& files);

}  // namespace rollcall
