// The search for credentials, and the messages when there are none.
#include "auth/application_default.hpp"

#include <catch2/catch.hpp>

#include "support/credential_files.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

using Texts = std::map<std::string, std::string, std::less<>>;

const std::string folder = "/users/me/.config/gcloud";

Result<CredentialSearch> search(Texts variables, Texts files) {
  return search_credential_files(*fixed_environment(std::move(variables)), *fixed_files(std::move(files)));
}

std::string path_found(Texts variables, Texts files) {
  const CredentialSearch result = value_of(search(std::move(variables), std::move(files)));
  return result.found ? result.found->path : "";
}

}  // namespace

TEST_CASE("the order of the search") {
  const std::string user = credential_sample("authorized_user");
  Texts files = {{"/key.json", service_account_sample()},
                 {folder + "/application_default_credentials.json", user},
                 {"/other/application_default_credentials.json", user},
                 {folder + "/configurations/config_default", "[core]\naccount = me@example.com\n"},
                 {folder + "/configurations/config_work", "[core]\naccount = at@work.example\n"},
                 {folder + "/legacy_credentials/me@example.com/adc.json", user},
                 {folder + "/legacy_credentials/at@work.example/adc.json", user}};
  CHECK(path_found({{"HOME", "/users/me"}, {"GOOGLE_APPLICATION_CREDENTIALS", "/key.json"}}, files) == "/key.json");
  CHECK(path_found({{"HOME", "/users/me"}, {"GOOGLE_APPLICATION_CREDENTIALS", ""}}, files) ==
        folder + "/application_default_credentials.json");
  CHECK(path_found({{"HOME", "/users/me"}, {"CLOUDSDK_CONFIG", "/other"}}, files) == "/other/application_default_credentials.json");
  files.erase(folder + "/application_default_credentials.json");
  CHECK(path_found({{"HOME", "/users/me"}}, files) == folder + "/legacy_credentials/me@example.com/adc.json");
  CHECK(path_found({{"HOME", "/users/me"}, {"CLOUDSDK_ACTIVE_CONFIG_NAME", "work"}}, files) ==
        folder + "/legacy_credentials/at@work.example/adc.json");
  files[folder + "/active_config"] = "work\n";
  CHECK(path_found({{"HOME", "/users/me"}}, files) == folder + "/legacy_credentials/at@work.example/adc.json");
  CHECK(path_found({}, files).empty());
}

TEST_CASE("a configured file must be valid") {
  check_failure(search({{"GOOGLE_APPLICATION_CREDENTIALS", "/none.json"}}, {}), Errc::not_found, "GOOGLE_APPLICATION_CREDENTIALS");
  for (const auto& [path, words] : std::initializer_list<std::pair<const char*, const char*>>{{"~/key.json", "only a shell replaces ~"},
                                                                                              {"\"/key.json\"", "the quotes are part"},
                                                                                              {"$HOME/key.json", "no shell has replaced"},
                                                                                              {"/key.json ", "blanks or a line end"}}) {
    CHECK_THAT(search({{"GOOGLE_APPLICATION_CREDENTIALS", path}}, {{"/key.json", "{}"}}).error().hint(), Catch::Contains(words));
  }
  check_failure(search({{"GOOGLE_APPLICATION_CREDENTIALS", "/key.json"}}, {{"/key.json", "{}"}}), Errc::invalid_argument, "/key.json");
  check_failure(search({{"HOME", "/users/me"}}, {{folder + "/application_default_credentials.json", "nonsense"}}), Errc::invalid_argument,
                "application_default_credentials.json");
  check_failure(search({{"HOME", "/users/me"}, {"CLOUDSDK_ACTIVE_CONFIG_NAME", "../x"}}, {}), Errc::invalid_argument, "../x");
}

TEST_CASE("the places without credentials are listed") {
  const CredentialSearch result = value_of(search({{"HOME", "/users/me"}}, {}));
  CHECK_FALSE(result.found);
  std::string all;
  for (const std::string& reason : result.missing) all += reason + "; ";
  CHECK(all ==
        "ROLLCALL_ACCESS_TOKEN is not set; GOOGLE_APPLICATION_CREDENTIALS is not set; there is no "
        "/users/me/.config/gcloud/application_default_credentials.json; ");
}

TEST_CASE("gcloud's own login is used as gcloud uses it") {
  const std::string path = folder + "/legacy_credentials/me@example.com/adc.json";
  const auto found = [&](const std::string& settings, Texts variables = {}) {
    variables.insert({"HOME", "/users/me"});
    return search(std::move(variables),
                  {{folder + "/configurations/config_default", "[core]\naccount = me@example.com\nproject = mine\n" + settings},
                   {path, credential_sample("authorized_user", {{"quota_project_id", ""}})}});
  };
  CHECK(value_of(found("")).found->file.type == "authorized_user");
  const CredentialSearch acting = value_of(found("[auth]\nimpersonate_service_account = a@x.example, b@x.example\n"));
  CHECK(acting.found->file.type == "impersonated_service_account");
  CHECK(account_of(acting.found->file) == "b@x.example");
  const auto& account = std::get<ImpersonatedAccount>(acting.found->file.account);
  CHECK(account.delegates == std::vector<std::string>{"a@x.example"});
  CHECK(account.url.without_query() ==
        "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/b@x.example:generateAccessToken");
  CHECK(has_secret(acting.found->file));
  CHECK_THAT(acting.found->named_by, Catch::Contains("auth/impersonate_service_account of gcloud's configuration 'default'"));
  CHECK(value_of(found("", {{"CLOUDSDK_AUTH_IMPERSONATE_SERVICE_ACCOUNT", "c@x.example"}})).found->file.type ==
        "impersonated_service_account");
  check_failure(found("[auth]\nimpersonate_service_account = a b/c\n"), Errc::invalid_argument, "impersonate_service_account");
  CHECK(value_of(found("[billing]\nquota_project = other\n")).found->file.quota_project == "other");
  CHECK(value_of(found("[billing]\nquota_project = CURRENT_PROJECT\n")).found->file.quota_project == "mine");
  CHECK(value_of(found("[billing]\nquota_project = LEGACY\n")).found->file.quota_project.empty());
}
