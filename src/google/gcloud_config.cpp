#include "google/gcloud_config.hpp"

#include <fmt/format.h>

#include "base/path_text.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_file = 256 * 1024;

Result<std::string> active_name(const Environment& environment, const Files& files, const std::string& folder) {
  std::string name = environment.get("CLOUDSDK_ACTIVE_CONFIG_NAME").value_or("");
  std::string_view source = "CLOUDSDK_ACTIVE_CONFIG_NAME";
  if (name.empty()) {
    const Result<std::string> chosen = files.read(folder + "/active_config", max_file);
    name = chosen ? std::string(trim(*chosen)) : "";
    source = "gcloud's active_config";
  }
  if (name.empty()) return std::string("default");
  if (is_gcloud_config_name(name)) return name;
  return Failure(Errc::invalid_argument, fmt::format("{}: {} is not the name of a configuration", source, quoted_words(name, 80)))
      .with_hint("gcloud config configurations list shows what there is");
}

}  // namespace

Result<std::string> gcloud_folder(const Environment& environment) {
  Result<std::string> folder = path_variable(environment, "CLOUDSDK_CONFIG");
  if (!folder || !folder->empty()) return folder;
  Result<std::string> home = path_variable(environment, "HOME");
  if (home && !home->empty()) *home += "/.config/gcloud";
  return home;
}

Result<GcloudConfig> read_gcloud_config(const Environment& environment, const Files& files) {
  const Result<std::string> named_folder = gcloud_folder(environment);
  if (!named_folder) return named_folder.error();
  const std::string& folder = *named_folder;
  if (folder.empty()) return GcloudConfig();
  Result<std::string> name = active_name(environment, files, folder);
  if (!name) return name.error();
  const std::string path = fmt::format("{}/configurations/config_{}", folder, *name);
  const Result<std::string> text = files.read(path, max_file);
  GcloudConfig config;
  if (text) {
    Result<GcloudConfig> parsed = parse_gcloud_config("gcloud's configuration " + path_text(path), *text);
    if (!parsed) return Failure(parsed.error()).with_target(path_text(path));
    config = std::move(*parsed);
  } else if (text.error().code() != Errc::not_found) {
    return text.error();
  }
  config.name = std::move(*name);
  const std::string account = environment.get("CLOUDSDK_CORE_ACCOUNT").value_or("");
  if (!account.empty()) config.account = account;
  return config;
}

}  // namespace rollcall
