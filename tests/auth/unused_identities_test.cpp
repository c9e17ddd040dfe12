// Variables that configure another identity than the used one.
#include "auth/unused_identities.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/url.hpp"
#include "support/credential_files.hpp"
#include "support/result.hpp"

namespace rollcall::testing {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

std::string aws(Variables variables) {
  return fmt::format("{}", fmt::join(unused_aws_variables(*fixed_environment(std::move(variables))), " "));
}

TEST_CASE("AWS: variables that name another identity than the machine's") {
  CHECK(aws({}).empty());
  CHECK(aws({{"AWS_REGION", "us-east-1"}}).empty());
  CHECK(aws({{"AWS_WEB_IDENTITY_TOKEN_FILE", "/t"}, {"AWS_ROLE_ARN", "arn"}}) == "AWS_WEB_IDENTITY_TOKEN_FILE AWS_ROLE_ARN");
  for (const char* name : {"AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_ACCESS_KEY_ID",
                           "AWS_SECRET_ACCESS_KEY"}) {
    CHECK(aws({{name, "x"}}) == name);
    CHECK(aws({{name, ""}}).empty());
    CHECK(aws({{name, "x"}, {"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1/"}}) == name);
  }
  CHECK(aws({{"AWS_EC2_METADATA_DISABLED", "True"}}) == "AWS_EC2_METADATA_DISABLED");
  CHECK(aws({{"AWS_EC2_METADATA_DISABLED", "false"}}).empty());
  // Keys of the environment take precedence in AWS's own programs, too.
  CHECK(aws({{"AWS_ACCESS_KEY_ID", "a"}, {"AWS_SECRET_ACCESS_KEY", "b"}, {"AWS_PROFILE", "p"}}).empty());
}

TEST_CASE("Azure: variables that name another identity than the machine's") {
  const auto unused = [](const std::string& url, Variables variables) {
    return fmt::format("{}", fmt::join(unused_azure_variables(*fixed_environment(std::move(variables)), *Url::parse(url)), " "));
  };
  const std::string machine = "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=x";
  CHECK(unused(machine, {{"AZURE_FEDERATED_TOKEN_FILE", "/t"}, {"AZURE_CLIENT_ID", "c"}}) == "AZURE_FEDERATED_TOKEN_FILE AZURE_CLIENT_ID");
  CHECK(unused(machine + "&client_id=c", {{"AZURE_CLIENT_ID", "c"}}).empty());
  CHECK(unused(machine, {}).empty());
  CHECK(unused("https://identity.example/token", {{"AZURE_CLIENT_SECRET", "s"}}).empty());
}

TEST_CASE("a credential file knows whose variables matter") {
  const auto environment = fixed_environment({{"AWS_PROFILE", "p"}, {"AZURE_CLIENT_SECRET", "s"}});
  const auto of = [&](const std::string& sample) {
    return unused_variables_of(*environment, value_of(parse_credential_file("f", credential_sample(sample)))).size();
  };
  CHECK(of("external_account.aws") == 1);
  CHECK(of("external_account.file") == 0);
  CHECK(of("authorized_user") == 0);
  CHECK(unused_identity_text({"AWS_PROFILE"}, words_of(AwsKeysFrom::instance)) ==
        "what AWS_PROFILE says of the identity is not followed: it is that of the instance, by its metadata server");
  CHECK(unused_identity_text({}, "x").empty());
}

TEST_CASE("Google credentials that were found although others are configured") {
  const auto environment = fixed_environment({{"CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE", "/f"}, {"GOOGLE_OAUTH_ACCESS_TOKEN", "t"}});
  CHECK(unused_google_variables(*environment, "/f") == std::vector<std::string>{"GOOGLE_OAUTH_ACCESS_TOKEN"});
  CHECK(unused_google_variables(*environment, "").size() == 2);
}

}  // namespace
}  // namespace rollcall::testing
