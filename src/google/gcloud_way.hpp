// What of gcloud's settings is followed on the way to Google's servers, and what is not.
#pragma once

#include <string>
#include <vector>

#include "google/found_places.hpp"
#include "google/gcloud_settings.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

/// What the program has chosen itself: it comes before gcloud's settings.
void note_network_options(Runtime::Impl& impl, const NetworkOptions& network);

/// Read once for the Runtime.
const GcloudWay& gcloud_way(Runtime::Impl& impl);

/// A setting that bears on the way, or on the identity, and is not followed.
class UnfollowedSetting {
 public:
  UnfollowedSetting() {}
  UnfollowedSetting(std::string what, std::string reason) : setting(std::move(what)), why(std::move(reason)) {}
  std::string setting;  ///< as GcloudSetting::text() has it
  std::string why;
};
std::vector<UnfollowedSetting> unfollowed_gcloud_settings(Runtime::Impl& impl);

/// What is followed, in words for people: "proxy/address of gcloud's configuration 'default': http://10.0.0.1:3128". Never a secret.
std::vector<std::string> followed_gcloud_settings(Runtime::Impl& impl);

}  // namespace rollcall
