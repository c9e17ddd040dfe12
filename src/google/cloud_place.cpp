#include "google/cloud_place.hpp"

#include <fmt/format.h>

#include <optional>

#include "async/group.hpp"
#include "base/text.hpp"
#include "google/metadata_client.hpp"
#include "google/wire/metadata_value.hpp"
#include "google/wire/resource_id.hpp"

namespace rollcall {
namespace {

asio::awaitable<Result<std::string>> ask_project(Call& call) {
  Result<std::string> answer = co_await fixed_metadata_value(call, "project/project-id");
  if (!answer) co_return answer;
  co_return parse_metadata_project(*answer);
}

asio::awaitable<Result<std::string>> ask_zone(Call& call) {
  Result<std::string> answer = co_await fixed_metadata_value(call, "instance/zone");
  if (!answer) co_return answer;
  co_return parse_metadata_zone(*answer);
}

Failure missing_place(std::string_view who, bool needs_project, bool needs_zone, Failure cause) {
  if (cause.code() == Errc::cancelled) return cause;
  const std::string_view missing = !needs_zone ? "project is" : !needs_project ? "zone is" : "project and zone are";
  cause.with_what(fmt::format("{}: the {} not given, and the metadata server did not tell: {}", who, missing, cause.what()));
  cause.with_hint("give project and zone, or set GOOGLE_CLOUD_PROJECT and CLOUDSDK_COMPUTE_ZONE");
  return cause;
}

}  // namespace

CloudSetting first_set(const Environment& environment, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    std::optional<std::string> value = environment.get(name);
    if (value && !trim(*value).empty()) return CloudSetting(std::string(trim(*value)), name);
  }
  return CloudSetting();
}

CloudSetting project_setting(CloudSetting given, const Environment& environment) {
  if (!given.value.empty()) return given;
  return first_set(environment, {"GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"});
}

CloudSetting zone_setting(CloudSetting given, const Environment& environment) {
  if (!given.value.empty()) return given;
  return first_set(environment, {"CLOUDSDK_COMPUTE_ZONE"});
}

Failure with_origin(std::string_view variable, Failure failure) {
  if (!variable.empty()) failure.with_what(fmt::format("{}: {}", variable, failure.what()));
  return failure;
}

Result<void> check_id(std::string_view what, const CloudSetting& setting) {
  if (is_resource_id(setting.value)) return Result<void>();
  std::string hint = fmt::format("a {} has at most 256 letters, digits and - _ . :", what);
  const std::vector<std::string_view> parts = split(setting.value, ',');
  if (setting.variable.empty() && parts.size() > 1)  // a target whose option is no option
    hint = fmt::format("{} has no =: the options of a target are KEY=VALUE", quoted(parts[1], 40));
  return with_origin(
      setting.variable,
      Failure(Errc::invalid_argument, fmt::format("{} is not a {}", quoted(setting.value, 80), what)).with_hint(std::move(hint)));
}

asio::awaitable<Result<void>> complete_place(Call& call, std::string who, std::string& project, std::string* zone) {
  const bool needs_project = project.empty();
  const bool needs_zone = zone && zone->empty();
  if (!needs_project && !needs_zone) co_return Result<void>();
  std::vector<asio::awaitable<Result<std::string>>> questions;
  if (needs_project) questions.push_back(ask_project(call));
  if (needs_zone) questions.push_back(ask_zone(call));
  Result<std::vector<std::string>> answers = co_await join(std::move(questions));
  if (!answers) co_return missing_place(who, needs_project, needs_zone, answers.error());
  if (needs_project) project = std::move(answers->front());
  if (needs_zone) *zone = std::move(answers->back());
  co_return Result<void>();
}

}  // namespace rollcall
