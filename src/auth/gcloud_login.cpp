// gcloud's own login, used as gcloud uses it: with the service account that it impersonates, and with its quota project.
#include <fmt/format.h>

#include <algorithm>

#include "auth/application_default.hpp"
#include "base/text.hpp"

namespace rollcall {

Result<void> apply_gcloud_settings(const GcloudSettings& settings, FoundCredentialFile& found) {
  const auto quota = settings.get("billing/quota_project");
  if (quota && quota->value != "LEGACY" && found.file.quota_project.empty()) {
    const bool is_current = quota->value.starts_with("CURRENT_PROJECT");
    const auto project = is_current ? settings.get("core/project") : quota;
    if (project) {
      found.file.quota_project = project->value;
      found.quota_project_from = quota->text();
    }
  }
  const auto accounts = settings.get("auth/impersonate_service_account");
  if (!accounts) return {};
  ImpersonatedAccount impersonated;
  for (const std::string_view one : split(accounts->value, ',')) impersonated.delegates.emplace_back(trim(one));
  const auto is_account = [](const std::string& name) {
    return !name.empty() && name.size() <= 256 &&
           std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '@' || c == '.' || c == '-'; });
  };
  if (!std::all_of(impersonated.delegates.begin(), impersonated.delegates.end(), is_account)) {
    return Failure(Errc::invalid_argument,
                   fmt::format("{}: {} is not the name of a service account", accounts->text(), quoted(accounts->value, 100)));
  }
  const std::string account = std::move(impersonated.delegates.back());
  impersonated.delegates.pop_back();
  Result<Url> url = Url::parse(
      fmt::format("https://iamcredentials.{}/v1/projects/-/serviceAccounts/{}:generateAccessToken", found.file.universe_domain, account));
  if (!url) return url.error();
  impersonated.url = std::move(*url);
  CredentialFile whole;
  whole.type = "impersonated_service_account";
  whole.project = found.file.project;
  whole.quota_project = found.file.quota_project;
  whole.universe_domain = found.file.universe_domain;
  impersonated.source = std::make_shared<const CredentialFile>(std::move(found.file));
  whole.account = std::move(impersonated);
  found.file = std::move(whole);
  found.named_by += fmt::format(", and {}", accounts->text());
  return {};
}

}  // namespace rollcall
