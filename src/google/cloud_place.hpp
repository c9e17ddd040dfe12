// Project and zone: from options, the environment, or the metadata server.
#pragma once

#include <asio/awaitable.hpp>
#include <initializer_list>
#include <string>
#include <string_view>

#include "rollcall/call.hpp"
#include "rollcall/surroundings.hpp"

namespace rollcall {

/// A value, and the environment variable it came from; none for one that was given.
class CloudSetting {
 public:
  CloudSetting() {}
  explicit CloudSetting(std::string text, std::string_view from = {}) : value(std::move(text)), variable(from) {}
  std::string value;
  std::string_view variable;
};

/// The first of the variables that says anything, trimmed.
CloudSetting first_set(const Environment& environment, std::initializer_list<std::string_view> names);
/// The value if it says anything, else GOOGLE_CLOUD_PROJECT, GCLOUD_PROJECT, CLOUDSDK_CORE_PROJECT.
CloudSetting project_setting(CloudSetting given, const Environment& environment);
/// The value if it says anything, else CLOUDSDK_COMPUTE_ZONE.
CloudSetting zone_setting(CloudSetting given, const Environment& environment);

/// Puts the variable in front of the message when there is one.
Failure with_origin(std::string_view variable, Failure failure);
/// Whether the value can be part of an API's path as `what` ("zone"). Errors: invalid_argument.
Result<void> check_id(std::string_view what, const CloudSetting& setting);

/// Asks the metadata server for what is empty, side by side; no zone is wanted when it is null. `who` begins the message: "TPU 'x'".
/// Errors: as metadata_value, with a hint on how to give them.
asio::awaitable<Result<void>> complete_place(Call& call, std::string who, std::string& project, std::string* zone);

}  // namespace rollcall
