#include "google/gcloud_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "google/gcloud_config.hpp"

namespace rollcall {

bool GcloudSetting::is_true() const {
  constexpr std::string_view words[] = {"true", "1", "on", "yes", "y"};
  return std::find(std::begin(words), std::end(words), to_lower(value)) != std::end(words);
}

std::string GcloudSetting::text() const { return from.starts_with("CLOUDSDK_") ? from : fmt::format("{} of {}", name, from); }

GcloudSettings::GcloudSettings(const Environment& environment, const Files& files) : environment_(&environment) {
  Result<GcloudConfig> config = read_gcloud_config(environment, files);
  if (config) config_ = std::move(*config);
}

std::optional<GcloudSetting> GcloudSettings::get(std::string_view name) const {
  GcloudSetting setting;
  setting.name = name;
  std::string variable = "CLOUDSDK_";
  for (const char c : name) variable += c == '/' ? '_' : is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
  setting.value = trim(environment_->get(variable).value_or(""));
  setting.from = variable;
  if (!setting.value.empty()) return setting;
  const auto found = config_.settings.find(name);
  if (found == config_.settings.end() || found->second.empty()) return std::nullopt;
  setting.value = found->second;
  setting.from = fmt::format("gcloud's configuration {}", quoted(config_.name, 80));
  return setting;
}

bool GcloudSettings::is_true(std::string_view name) const {
  const std::optional<GcloudSetting> setting = get(name);
  return setting && setting->is_true();
}

}  // namespace rollcall
