// Project and zone: from options, the environment, the credentials, gcloud's configuration, or the metadata server; and the universe whose
// services are asked.
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
/// Whether the value can be part of an API's path as `what` ("zone"). Errors: invalid_argument, naming the `variable` that it is from, if
/// any.
Result<void> check_id(std::string_view what, std::string_view value, std::string_view variable = {});

/// `place` becomes the `option`, else stays what it is, as the name that was given (by `variable_of_name`) says it, else is what the
/// environment has by `setting`; it may stay empty. Errors: as check_id.
Result<void> settle_place(std::string_view what, const std::string& option, std::string& place, std::string_view variable_of_name,
                          CloudSetting (*setting)(CloudSetting given, const Environment& environment), const Environment& environment);

/// A value, and where it comes from in words for people: "gcloud's configuration 'default'".
class PlaceValue {
 public:
  PlaceValue() {}
  PlaceValue(std::string text, std::string origin) : value(std::move(text)), from(std::move(origin)) {}
  std::string value;
  std::string from;
};

/// Where neither options nor variables say it: the project of the Runtime's credentials, that of gcloud's active configuration, the
/// metadata server's. What was found is kept: a Runtime stays in its project, whatever becomes of the files; what was not found is looked
/// for again by the next call. A configuration that cannot be read is passed over. Errors: invalid_argument (a configuration that is none,
/// a value that is no project), else as metadata_value.
asio::awaitable<Result<PlaceValue>> find_project(Call& call);
/// The same of the zone, about which credentials say nothing.
asio::awaitable<Result<PlaceValue>> find_zone(Call& call);

/// Whose services are asked where no endpoint is given, `https://tpu.UNIVERSE/`: GOOGLE_CLOUD_UNIVERSE_DOMAIN, else that of the Runtime's
/// credentials; googleapis.com where nobody says. That of a machine's own account its metadata server tells, which is asked once, on
/// Google's machines and where the variable is set. Errors: refused_by_policy where variable and credentials name different ones;
/// invalid_argument (no domain); for the metadata server's those of its token, and as metadata_value. [facts: universe]
asio::awaitable<Result<std::string>> find_universe(Call& call);
/// The same without suspending; absent: the metadata server has to be asked.
std::optional<Result<std::string>> known_universe(Runtime::Impl& impl);
/// Makes a root of googleapis.com that of another universe.
void move_to_universe(Url& root, std::string_view universe);

/// Finds what is empty, side by side, and tells each as EventKind::place_chosen; no zone is wanted when it is null. `who` begins the
/// message: "TPU 'x'". Errors: as find_project, with a hint on how to give them.
asio::awaitable<Result<void>> complete_place(Call& call, std::string who, std::string& project, std::string* zone);

}  // namespace rollcall
