// Project and zone: from options, the environment, the credentials, gcloud's configuration, or the metadata server; and the universe of the
// services.
#pragma once

#include <asio/awaitable.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/call.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {

/// A value, and the environment variable that it came from; none for a value that was given.
class CloudSetting {
 public:
  CloudSetting() {}
  explicit CloudSetting(std::string text, std::string_view from = {}) : value(std::move(text)), variable(from) {}
  std::string value;
  std::string_view variable;
};

/// The first of the variables that is not empty, trimmed.
CloudSetting first_set(const Environment& environment, std::initializer_list<std::string_view> names);
/// The value if it is not empty, else GOOGLE_CLOUD_PROJECT, GCLOUD_PROJECT, CLOUDSDK_CORE_PROJECT.
CloudSetting project_setting(CloudSetting given, const Environment& environment);
/// The value if it is not empty, else CLOUDSDK_COMPUTE_ZONE.
CloudSetting zone_setting(CloudSetting given, const Environment& environment);

/// Puts the variable before the message if there is one.
Failure with_origin(std::string_view variable, Failure failure);
/// Checks that the value can be part of an API's path as `what` ("zone"). Errors: invalid_argument, naming the `variable` that it is from,
/// if any.
Result<void> check_id(std::string_view what, std::string_view value, std::string_view variable = {});

/// Sets `place` to the `option`, else keeps its value, which comes from the given name (from `variable_of_name`), else sets it by `setting`
/// from the environment; it may stay empty. Errors: as check_id.
Result<void> settle_place(std::string_view what, const std::string& option, std::string& place, std::string_view variable_of_name,
                          CloudSetting (*setting)(CloudSetting given, const Environment& environment), const Environment& environment);

/// A value, and its source in words for users: "gcloud's configuration 'default'".
class PlaceValue {
 public:
  PlaceValue() {}
  PlaceValue(std::string text, std::string origin) : value(std::move(text)), from(std::move(origin)) {}
  std::string value;
  std::string from;
};

/// The project if neither options nor variables give it: that of the Runtime's credentials, that of gcloud's active configuration, the
/// metadata server's. A found value is kept: a Runtime stays in its project, even if the files change; after a failure the next call
/// searches again. A configuration that cannot be read is skipped. Errors: invalid_argument (an invalid configuration, a value that is no
/// project), else as metadata_value.
asio::awaitable<Result<PlaceValue>> find_project(Call& call);
/// The same for the zone, which credentials do not contain.
asio::awaitable<Result<PlaceValue>> find_zone(Call& call);

/// The universe whose services are used if no endpoint is given, `https://tpu.UNIVERSE/`: GOOGLE_CLOUD_UNIVERSE_DOMAIN, else that of the
/// Runtime's credentials; googleapis.com if there is none. The universe of a machine's own account comes from its metadata server, which is
/// queried once, on Google's machines and if the variable is set. Errors: refused_by_policy if variable and credentials name different
/// ones; invalid_argument (no domain); for the metadata server those of its token, and as metadata_value. [facts: universe]
asio::awaitable<Result<std::string>> find_universe(Call& call);
/// The same without suspending; absent: the metadata server must be queried.
std::optional<Result<std::string>> known_universe(Runtime::Impl& impl);
/// Replaces googleapis.com in a base URL by another universe.
void move_to_universe(Url& root, std::string_view universe);

/// Finds the empty values, in parallel, and logs each as EventKind::place_chosen; no zone is needed when it is null. `who` begins the
/// message: "TPU 'x'". Errors: as find_project, with a hint on how to give them.
asio::awaitable<Result<void>> complete_place(Call& call, std::string who, std::string& project, std::string* zone);

}  // namespace rollcall
