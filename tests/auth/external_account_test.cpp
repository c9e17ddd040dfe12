// Identities of other providers: the sources of their tokens, and the requests with them; in virtual time.
#include <catch2/catch.hpp>

#include "auth/signed_in.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
namespace json = boost::json;

TEST_CASE("a federated identity of a file, with impersonation") {
  SignedIn s(credential_sample("external_account.file"), {{"/var/run/secrets/tokens/gcp-ksa/token", "subject.jwt.one\n"}});
  s.t.answer(200, R"({"access_token":"federated-token","expires_in":3599,"token_type":"Bearer"})");
  s.t.answer(200, R"({"accessToken":"account-token","expireTime":"2099-01-01T00:00:00Z"})");
  s.t.answer(200, "{}");
  REQUIRE(s.fetch().has_value());
  REQUIRE(s.requests().size() == 3);
  CHECK(s.requests()[0].url.without_query() == "https://sts.googleapis.com/v1/token");
  auto form = form_of(s.requests()[0]);
  CHECK(form["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange");
  CHECK(form["subject_token"] == "subject.jwt.one");
  CHECK(form["subject_token_type"] == "urn:ietf:params:oauth:token-type:jwt");
  CHECK(form["requested_token_type"] == "urn:ietf:params:oauth:token-type:access_token");
  CHECK(form["audience"].starts_with("//iam.googleapis.com/projects/"));
  CHECK(json::parse(s.requests()[1].body).at("lifetime") == "2800s");
  CHECK(s.requests()[1].bearer.reveal() == "federated-token");
  CHECK(s.requests()[2].bearer.reveal() == "account-token");
}

TEST_CASE("a federated identity of a URL") {
  SignedIn s(credential_sample("external_account.url"));
  s.t.answer(200, R"({"id_token":"subject.jwt.two"})");
  s.t.answer(200, good_token);
  s.t.answer(200, "{}");
  REQUIRE(s.fetch().has_value());
  REQUIRE(s.requests().size() == 3);
  CHECK(s.requests()[0].headers.get("x-example") == "1");
  CHECK(form_of(s.requests()[1])["subject_token"] == "subject.jwt.two");
}

TEST_CASE("invalid subject tokens") {
  const auto [text, part] = GENERATE(table<std::string, std::string>(
      {{"", "is empty"}, {R"({"other":"x"})", "has no text"}, {R"({"access_token":5})", "has no text"}, {"SECRET", "is not JSON"}}));
  SignedIn s(credential_sample("external_account.file-json"), {{"/var/run/secrets/tokens/oidc.json", text}});
  s.t.answer(200, "{}");
  const Result<HttpResponse> answer = s.fetch();
  check_failure(answer, Errc::invalid_argument, part);
  CHECK(s.requests().empty());
}

TEST_CASE("a federated identity of AWS: IMDSv2, the role's keys, a signed request") {
  SignedIn s(credential_sample("external_account.aws"));
  s.t.answer(200, "imds-session-token");
  s.t.answer(200, "us-east-1b");
  s.t.answer(200, "the-role");
  s.t.answer(200, R"({"AccessKeyId":"AKIDEXAMPLE","SecretAccessKey":"wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY","Token":"aws-token"})");
  s.t.answer(200, good_token);
  s.t.answer(200, "{}");
  REQUIRE(s.fetch().has_value());
  REQUIRE(s.requests().size() == 6);
  CHECK(s.requests()[0].method == HttpMethod::put);
  CHECK(s.requests()[0].headers.get("x-aws-ec2-metadata-token-ttl-seconds") == "300");
  for (std::size_t i = 1; i < 4; ++i) CHECK(s.requests()[i].headers.get("x-aws-ec2-metadata-token") == "imds-session-token");
  CHECK(s.requests()[3].url.target == "/latest/meta-data/iam/security-credentials/the-role");
  const json::object subject = json::parse(percent_decode(form_of(s.requests()[4])["subject_token"]).value()).as_object();
  CHECK(subject.at("method") == "POST");
  CHECK(subject.at("url") == "https://sts.us-east-1.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15");
  std::map<std::string, std::string> headers;
  for (const json::value& header : subject.at("headers").as_array())
    headers[std::string(header.at("key").as_string())] = std::string(header.at("value").as_string());
  CHECK(headers["host"] == "sts.us-east-1.amazonaws.com");
  CHECK(headers["x-amz-security-token"] == "aws-token");
  CHECK(headers["x-goog-cloud-target-resource"].starts_with("//iam.googleapis.com/"));
  CHECK_THAT(headers["authorization"], Catch::StartsWith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"));
  CHECK_THAT(headers["authorization"], Catch::Contains("/us-east-1/sts/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token;"
                                                       "x-goog-cloud-target-resource, Signature="));
}

TEST_CASE("an AWS server's answer with more than a role or a token is refused") {
  SignedIn s(credential_sample("external_account.aws"));
  s.t.answer(200, std::string(100'000, 'x'));
  check_failure(s.fetch(), Errc::malformed_response, "the answer has 100000 bytes");
  CHECK(s.requests().size() == 1);
}

TEST_CASE("AWS keys of the environment, and of a container") {
  SECTION("environment: nobody is asked") {
    SignedIn s(credential_sample("external_account.aws"), {},
               {{"AWS_REGION", "eu-west-1"}, {"AWS_ACCESS_KEY_ID", "AKID"}, {"AWS_SECRET_ACCESS_KEY", "secret-key-of-aws"}});
    s.t.answer(200, good_token);
    s.t.answer(200, "{}");
    REQUIRE(s.fetch().has_value());
    CHECK(s.requests().size() == 2);
  }
  SECTION("a container's server at another address of the machine's link, or anywhere that its certificate vouches for") {
    const std::string url = GENERATE("http://[::ffff:169.254.170.2]/v1/credentials", "https://credentials.example.com/v1");
    SignedIn s(credential_sample("external_account.aws"), {}, {{"AWS_REGION", "eu-west-1"}, {"AWS_CONTAINER_CREDENTIALS_FULL_URI", url}});
    s.t.answer(200, R"({"AccessKeyId":"AKIDEXAMPLE","SecretAccessKey":"wJalrXUtnFEMI/K7","Token":"aws-token"})");
    s.t.answer(200, good_token);
    s.t.answer(200, "{}");
    CHECK(s.fetch().has_value());
  }
  SECTION("container") {
    SignedIn s(credential_sample("external_account.aws"), {{"/run/pod-token", "Bearer-of-pod\n"}},
               {{"AWS_REGION", "eu-west-1"},
                {"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.23/v1/credentials"},
                {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/run/pod-token"}});
    s.t.answer(200, R"({"AccessKeyId":"AKIDEXAMPLE","SecretAccessKey":"wJalrXUtnFEMI/K7","Token":"aws-token"})");
    s.t.answer(200, good_token);
    s.t.answer(200, "{}");
    REQUIRE(s.fetch().has_value());
    CHECK(s.requests()[0].headers.get("authorization") == "Bearer-of-pod");
  }
  SECTION("a container's server elsewhere") {
    SignedIn s(credential_sample("external_account.aws"), {},
               {{"AWS_REGION", "eu-west-1"}, {"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://10.0.0.1/"}});
    s.t.answer(200, "{}");
    check_failure(s.fetch(), Errc::refused_by_policy, "10.0.0.1");
    CHECK(s.requests().empty());
  }
  SECTION("a region that leads elsewhere") {
    SignedIn s(credential_sample("external_account.aws"), {},
               {{"AWS_REGION", "evil.test/"}, {"AWS_ACCESS_KEY_ID", "AKID"}, {"AWS_SECRET_ACCESS_KEY", "secret-key-of-aws"}});
    s.t.answer(200, "{}");
    check_failure(s.fetch(), Errc::invalid_argument, "evil.test");
  }
}

TEST_CASE("only GetCallerIdentity is signed for AWS") {
  const std::string url =
      GENERATE("https://sts.us-east-1.amazonaws.com?Action=GetSessionToken&Version=2011-06-15", "https://sts.us-east-1.amazonaws.com/",
               "https://sts.us-east-1.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15&Action=GetSessionToken",
               "https://sts.amazonaws.com.evil.test?Action=GetCallerIdentity&Version=2011-06-15",
               "https://iam.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15",
               "https://{region}.evil.test?Action=GetCallerIdentity&Version=2011-06-15",
               "http://sts.us-east-1.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15");
  json::object source = json::parse(credential_sample("external_account.aws")).at("credential_source").as_object();
  source["regional_cred_verification_url"] = url;
  SignedIn s(credential_sample("external_account.aws", {{"credential_source", source}}), {},
             {{"AWS_REGION", "eu-west-1"}, {"AWS_ACCESS_KEY_ID", "AKID"}, {"AWS_SECRET_ACCESS_KEY", "secret-key-of-aws"}});
  s.t.answer(200, "{}");
  check_failure(s.fetch(), url.starts_with("http://") ? Errc::invalid_argument : Errc::refused_by_policy, "regional_cred_verification_url");
  CHECK(s.requests().empty());
}

namespace {

std::map<std::string, std::string, std::less<>> with_container(std::map<std::string, std::string, std::less<>> others = {}) {
  others.insert({{"AWS_REGION", "eu-west-1"}, {"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:9/creds"}});
  return others;
}

}  // namespace

TEST_CASE("a refusal of AWS's servers is about AWS's keys, and in their words") {
  SignedIn s(credential_sample("external_account.aws"), {}, with_container());
  s.t.answer(403, R"({"code":"AccessDenied","message":"the task has no role"})");
  const Result<HttpResponse> answer = s.fetch();
  check_failure(answer, Errc::permission_denied, "HTTP 403 (AccessDenied): the task has no role");
  CHECK_THAT(answer.error().hint(),
             Catch::StartsWith("AWS's container server gives this task or pod no keys") && !Catch::Contains("roles/"));
  SignedIn nobody(credential_sample("external_account.aws"), {}, with_container());
  for (int i = 0; i < 3; ++i) nobody.t.answer(Failure(Errc::unreachable, "nobody").with_phase(Phase::connect).with_hint("check the port"));
  CHECK_THAT(nobody.fetch().error().hint(), Catch::StartsWith("AWS_CONTAINER_CREDENTIALS_FULL_URI, or _RELATIVE_URI, names that server"));
}

TEST_CASE("an instance's server that has no keys says why") {
  SignedIn s(credential_sample("external_account.aws"), {}, {{"AWS_REGION", "eu-west-1"}});
  s.t.answer(200, "imds-session-token");
  s.t.answer(200, "the-role");
  s.t.answer(200, R"({"Code":"AssumeRoleUnauthorizedAccess","Message":"EC2 cannot assume the role"})");
  check_failure(s.fetch(), Errc::unauthenticated, "AWS gives no keys: AssumeRoleUnauthorizedAccess: EC2 cannot assume the role");
  SignedIn none(credential_sample("external_account.aws"), {}, {{"AWS_REGION", "eu-west-1"}});
  none.t.answer(200, "imds-session-token");
  none.t.answer(404, "");
  CHECK_THAT(none.fetch().error().hint(), Catch::StartsWith("give the instance a role"));
}
