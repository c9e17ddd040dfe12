// Credential files: the fields of each kind, and refused files, without a secret in the message.
#include "auth/wire/credential_file.hpp"

#include <catch2/catch.hpp>

#include "support/credential_files.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

const std::string example_cache =
    "/"
    "tmp/example-idp-cache.json";

CredentialFile file_of(const std::string& text) { return value_of(parse_credential_file("the file", text)); }

}  // namespace

TEST_CASE("credential files of every kind") {
  SECTION("service_account") {
    const CredentialFile file = file_of(service_account_sample());
    const auto& account = std::get<ServiceAccountKey>(file.account);
    CHECK(account.client_email == account_of(file));
    CHECK_FALSE(account.key_id.empty());
    CHECK(account.key.reveal() == rsa_test_key);
    CHECK(account.token_url.origin() == "https://oauth2.googleapis.com");
    CHECK(file.project == "example-proj");
    CHECK(file.universe_domain == "googleapis.com");
  }
  SECTION("authorized_user") {
    const CredentialFile file = file_of(credential_sample("authorized_user", {{"token_uri", "https://evil.test/"}}));
    const auto& user = std::get<AuthorizedUser>(file.account);
    CHECK(user.refresh_token.reveal() == "1//EXAMPLE-refresh-token");
    CHECK(user.token_url.host == "oauth2.googleapis.com");
    CHECK(file.quota_project == "example-proj");
  }
  SECTION("external_account_authorized_user") {
    const auto user = std::get<WorkforceUser>(file_of(credential_sample("external_account_authorized_user")).account);
    CHECK(user.client_id == "example-client");
    CHECK(user.token_url.target == "/v1/oauthtoken");
  }
  SECTION("impersonated_service_account") {
    const CredentialFile file = file_of(credential_sample("impersonated_service_account"));
    const auto& account = std::get<ImpersonatedAccount>(file.account);
    REQUIRE(account.source);
    CHECK(account.source->type == "authorized_user");
    CHECK(account_of(file) == "resolver@example-proj.iam.gserviceaccount.com");
  }
  SECTION("external_account of a file") {
    const CredentialFile file = file_of(credential_sample("external_account.file"));
    const auto& account = std::get<ExternalAccount>(file.account);
    CHECK(std::get<FileSource>(account.source).path == "/var/run/secrets/tokens/gcp-ksa/token");
    CHECK(std::get<FileSource>(account.source).format.json_field.empty());
    CHECK(account.impersonated_lifetime == 2800s);
    CHECK(account_of(file) == "resolver@example-proj.iam.gserviceaccount.com");
  }
  SECTION("external_account of a file of JSON") {
    const auto account = std::get<ExternalAccount>(file_of(credential_sample("external_account.file-json")).account);
    CHECK(std::get<FileSource>(account.source).format.json_field == "access_token");
    CHECK_FALSE(account.impersonation_url);
  }
  SECTION("external_account of a URL") {
    const auto account = std::get<ExternalAccount>(file_of(credential_sample("external_account.url")).account);
    const auto& source = std::get<UrlSource>(account.source);
    CHECK(source.url.without_query() == "https://idp.example.com/token");
    CHECK(source.headers.get("x-example") == "1");
    CHECK(source.format.json_field == "id_token");
  }
  SECTION("external_account of a program") {
    const auto account = std::get<ExternalAccount>(file_of(credential_sample("external_account.executable")).account);
    const auto& source = std::get<ExecutableSource>(account.source);
    CHECK(source.command == "/usr/local/bin/example-idp --print-token");
    CHECK(source.timeout == 5s);
    CHECK(source.output_file == example_cache);
  }
  SECTION("external_account of AWS") {
    const auto account = std::get<ExternalAccount>(file_of(credential_sample("external_account.aws")).account);
    const auto& source = std::get<AwsSource>(account.source);
    REQUIRE(source.session_token_url);
    CHECK(source.session_token_url->host == "169.254.169.254");
    CHECK(source.verification_url.find("{region}") != std::string::npos);
    json::object other = json::parse(credential_sample("external_account.aws")).at("credential_source").as_object();
    other["imdsv2_session_token_url"] = "http://[fd00:ec2::254]/latest/api/token";
    const auto by_ipv6 =
        std::get<ExternalAccount>(file_of(credential_sample("external_account.aws", {{"credential_source", other}})).account);
    CHECK(std::get<AwsSource>(by_ipv6.source).session_token_url->host == "fd00:ec2::254");
  }
}

TEST_CASE("credential files that are refused") {
  const auto check = [](const std::string& text, Errc code, const std::string& part) {
    INFO(text);
    const Result<CredentialFile> file = parse_credential_file("the file", text);
    check_failure(file, code, part);
    CHECK_THAT(file.error().what(), Catch::StartsWith("the file"));
    for (const char* secret : {"EXAMPLE-refresh", "EXAMPLE-not-secret", "PRIVATE KEY"})
      CHECK(file.error().message().find(secret) == std::string::npos);
  };
  check("", Errc::invalid_argument, "is empty");
  check("[]", Errc::invalid_argument, "not an object");
  check("{\"type\":", Errc::invalid_argument, "cut short");
  check("{}", Errc::invalid_argument, "has no type");
  check(R"({"installed":{"client_id":"x","client_secret":"EXAMPLE-not-secret"}})", Errc::invalid_argument, "is of an OAuth client");
  check(R"({"web":{"client_id":"x"}})", Errc::invalid_argument, "is of an OAuth client");
  CHECK_THAT(parse_credential_file("the file", "ewogICJ0eXBlIjogInNlcnZpY2VfYWNjb3VudCIK\n").error().hint(), Catch::Contains("base64 -d"));
  CHECK_THAT(parse_credential_file("the file", "0\x82\x09\x7d\x02\x01\x03").error().hint(), Catch::Contains("P12"));
  check(read_sample("auth/unknown_type.json"), Errc::invalid_argument, "is not known");
  check(read_sample("auth/gdch_service_account.json"), Errc::unimplemented, "gdch_service_account");
  check(read_sample("auth/external_account.evil-token-url.json"), Errc::refused_by_policy, "http://sts.googleapis.com.attacker.example");
  check(credential_sample("authorized_user", {{"refresh_token", ""}}), Errc::invalid_argument, "has no refresh_token");
  check(credential_sample("authorized_user", {{"client_secret", 5}}), Errc::invalid_argument, "client_secret is a number");
  check(credential_sample("authorized_user", {{"quota_project_id", "a\r\nb: c"}}), Errc::invalid_argument, "quota_project_id");
  check(credential_sample("authorized_user", {{"universe_domain", "evil/.test"}}), Errc::invalid_argument, "universe_domain");
  const auto token_url = [](const char* url) { return credential_sample("external_account.file", {{"token_url", url}}); };
  check(token_url("https://sts.googleapis.com.attacker.test/"), Errc::refused_by_policy, "attacker.test");
  check(token_url("https://evilgoogleapis.com/"), Errc::refused_by_policy, "evilgoogleapis.com");
  check(token_url("https://googleapis.com@evil.test/"), Errc::invalid_argument, "not a URL");
  check(token_url("http://sts.googleapis.com/"), Errc::refused_by_policy, "plain http");
  check(token_url("ftp://sts.googleapis.com/"), Errc::invalid_argument, "not a URL");
  const auto source = [](json::value value) {
    return credential_sample("external_account.file", {{"credential_source", std::move(value)}});
  };
  check(source(nullptr), Errc::invalid_argument, "has no credential_source");
  for (const char* const content : {"eyJhbGciOiJSUzI1NiJ9.e30.c2ln", "-----BEGIN PRIVATE KEY-----\nMIIB", R"({"access_token": "x"})"}) {
    check(source({{"file", content}}), Errc::invalid_argument, "file holds a file's content, not its path");
    check(source({{"executable", {{"command", "x"}, {"output_file", content}}}}), Errc::invalid_argument,
          "output_file holds a file's content");
  }
  check(source(json::object{}), Errc::invalid_argument, "none of file");
  check(source({{"certificate", {{"use_default_certificate_config", true}}}}), Errc::unimplemented, "certificates");
  check(source({{"file", "/t"}, {"format", {{"type", "xml"}}}}), Errc::invalid_argument, "neither text nor json");
  check(source({{"file", "/t"}, {"format", {{"type", "json"}}}}), Errc::invalid_argument, "subject_token_field_name");
  check(source({{"url", "http://h/"}, {"headers", {{"A", "b\r\nC: d"}}}}), Errc::invalid_argument, "cannot be sent");
  check(source({{"executable", {{"command", "/p"}, {"timeout_millis", 1}}}}), Errc::invalid_argument, "timeout_millis");
  check(source({{"environment_id", "aws2"}}), Errc::unimplemented, "aws2");
  check(source({{"environment_id", "aws1"}, {"url", "http://10.0.0.1/"}}), Errc::refused_by_policy, "instance metadata server");
  check(credential_sample("external_account.file", {{"workforce_pool_user_project", "p"}}), Errc::invalid_argument, "workforce");
  check(credential_sample("external_account.file", {{"service_account_impersonation", {{"token_lifetime_seconds", 5}}}}),
        Errc::invalid_argument, "token_lifetime_seconds");
  json::object nested = json::parse(credential_sample("impersonated_service_account")).as_object();
  for (int i = 0; i < 6; ++i)
    nested = json::parse(credential_sample("impersonated_service_account", {{"source_credentials", nested}})).as_object();
  check(json::serialize(nested), Errc::limit_exceeded, "source_credentials");
}

TEST_CASE("a universe's own addresses are allowed in its files") {
  const CredentialFile file = file_of(credential_sample(
      "external_account.file", {{"universe_domain", "cloud.example"}, {"token_url", "https://sts.cloud.example/v1/token"}}));
  CHECK(file.universe_domain == "cloud.example");
  const CredentialFile fallback = file_of(service_account_sample({{"universe_domain", ""}, {"token_uri", "http://127.0.0.1:9/token"}}));
  CHECK(std::get<ServiceAccountKey>(fallback.account).token_url.port == 9);
}

TEST_CASE("an impersonated account's source is of the universe that its token is sent to") {
  const auto impersonated = [](json::object outer, const char* inner) {
    json::object source = json::parse(credential_sample("authorized_user")).as_object();
    if (inner) source["universe_domain"] = inner;
    outer["source_credentials"] = std::move(source);
    return credential_sample("impersonated_service_account", std::move(outer));
  };
  const char* url = "https://iamcredentials.cloud.example/v1/projects/-/serviceAccounts/a@b:generateAccessToken";
  for (const std::string& text : {impersonated({}, "cloud.example"), impersonated({{"universe_domain", "cloud.example"}}, nullptr),
                                  impersonated({{"universe_domain", "googleapis.com"}}, "cloud.example")}) {
    const Result<CredentialFile> file = parse_credential_file("the file", text);
    check_failure(file, Errc::refused_by_policy, "from one universe to another");
  }
  CHECK(file_of(impersonated({{"service_account_impersonation_url", url}}, "cloud.example")).universe_domain == "cloud.example");
  CHECK(file_of(impersonated({}, "googleapis.com")).universe_domain == "googleapis.com");
}
