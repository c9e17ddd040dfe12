#include "auth/unused_identities.hpp"

#include <fmt/format.h>

#include <initializer_list>

#include "base/text.hpp"
#include "rollcall/secret.hpp"

namespace rollcall {
namespace {

// Some of them contain secrets.
bool is_set(const Environment& environment, std::string_view name) {
  return !Secret<std::string>(environment.get(name).value_or("")).empty();
}

std::vector<std::string> those_set(const Environment& environment, std::initializer_list<std::string_view> names) {
  std::vector<std::string> found;
  for (const std::string_view name : names) {
    if (is_set(environment, name)) found.emplace_back(name);
  }
  return found;
}

}  // namespace

AwsKeysFrom aws_keys_from(const Environment& environment) {
  if (is_set(environment, "AWS_ACCESS_KEY_ID") && is_set(environment, "AWS_SECRET_ACCESS_KEY")) return AwsKeysFrom::environment;
  const bool has_container =
      is_set(environment, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") || is_set(environment, "AWS_CONTAINER_CREDENTIALS_FULL_URI");
  return has_container ? AwsKeysFrom::container : AwsKeysFrom::instance;
}

std::vector<std::string> unused_aws_variables(const Environment& environment) {
  const AwsKeysFrom from = aws_keys_from(environment);
  if (from == AwsKeysFrom::environment) return {};
  // One half of a pair of keys is not enough.
  std::vector<std::string> found =
      those_set(environment, {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN", "AWS_PROFILE",
                              "AWS_DEFAULT_PROFILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"});
  if (from == AwsKeysFrom::container) return found;
  if (equals_ignoring_case(environment.get("AWS_EC2_METADATA_DISABLED").value_or(""), "true"))
    found.emplace_back("AWS_EC2_METADATA_DISABLED");
  if (is_set(environment, "AWS_EC2_METADATA_SERVICE_ENDPOINT")) found.emplace_back("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  return found;
}

std::vector<std::string> unused_azure_variables(const Environment& environment, const Url& url) {
  const bool is_azure = url.host == "169.254.169.254" && url.target.starts_with("/metadata/identity");
  if (!is_azure) return {};
  std::vector<std::string> found =
      those_set(environment, {"AZURE_FEDERATED_TOKEN_FILE", "AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PATH", "AZURE_USERNAME",
                              "IDENTITY_ENDPOINT", "MSI_ENDPOINT"});
  // The machine may have several identities, and the file's URL selects one.
  const bool names_one = url.target.find("client_id=") != std::string::npos || url.target.find("object_id=") != std::string::npos ||
                         url.target.find("mi_res_id=") != std::string::npos || url.target.find("msi_res_id=") != std::string::npos;
  if (!names_one && is_set(environment, "AZURE_CLIENT_ID")) found.emplace_back("AZURE_CLIENT_ID");
  return found;
}

std::vector<std::string> unused_google_variables(const Environment& environment, const std::string& path) {
  std::vector<std::string> found =
      those_set(environment, {"CLOUDSDK_AUTH_ACCESS_TOKEN_FILE", "GOOGLE_OAUTH_ACCESS_TOKEN", "GOOGLE_CREDENTIALS",
                              "GOOGLE_CLOUD_KEYFILE_JSON", "GCLOUD_KEYFILE_JSON", "GOOGLE_IMPERSONATE_SERVICE_ACCOUNT"});
  const std::string other = environment.get("CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE").value_or("");
  if (!other.empty() && other != path) found.emplace_back("CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE");
  return found;
}

std::vector<std::string> unused_variables_of(const Environment& environment, const CredentialFile& file) {
  if (const auto* const impersonated = std::get_if<ImpersonatedAccount>(&file.account)) {
    return impersonated->source ? unused_variables_of(environment, *impersonated->source) : std::vector<std::string>();
  }
  const auto* const account = std::get_if<ExternalAccount>(&file.account);
  if (!account) return {};
  if (std::holds_alternative<AwsSource>(account->source)) return unused_aws_variables(environment);
  if (const auto* const at_url = std::get_if<UrlSource>(&account->source)) return unused_azure_variables(environment, at_url->url);
  return {};
}

std::string unused_identity_text(const std::vector<std::string>& variables, std::string_view used) {
  if (variables.empty()) return {};
  return fmt::format("what {} {} of the identity is not followed: it is that of {}", fmt::join(variables, ", "),
                     variables.size() == 1 ? "says" : "say", used);
}

std::string_view words_of(AwsKeysFrom from) noexcept {
  switch (from) {
    case AwsKeysFrom::environment: return "AWS_ACCESS_KEY_ID";
    case AwsKeysFrom::container: return "the container, by AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI";
    case AwsKeysFrom::instance: break;
  }
  return "the instance, by its metadata server";
}

}  // namespace rollcall
