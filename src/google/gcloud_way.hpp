// gcloud's connection settings for Google's servers: the supported ones, and a list of the others.
#pragma once

#include <string>
#include <vector>

#include "google/found_places.hpp"
#include "google/gcloud_settings.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

/// The program's own choices: they take precedence over gcloud's settings.
void note_network_options(Runtime::Impl& impl, const NetworkOptions& network);

/// Read once for the Runtime.
const GcloudWay& gcloud_way(Runtime::Impl& impl);

/// A setting about connections, or the identity, that is not supported.
class UnfollowedSetting {
 public:
  UnfollowedSetting() {}
  UnfollowedSetting(std::string what, std::string reason) : setting(std::move(what)), why(std::move(reason)) {}
  std::string setting;  ///< from GcloudSetting::text()
  std::string why;
};
std::vector<UnfollowedSetting> unfollowed_gcloud_settings(Runtime::Impl& impl);

/// The supported settings that are used, in words for users: "proxy/address of gcloud's configuration 'default': http://10.0.0.1:3128".
/// Never a secret.
std::vector<std::string> followed_gcloud_settings(Runtime::Impl& impl);

}  // namespace rollcall
