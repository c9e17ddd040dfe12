// Programs as the source of an identity: when they are run, their environment, and the use of their output; in virtual time.
#include <catch2/catch.hpp>

#include "auth/signed_in.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

const std::string kept_at =
    "/"
    "tmp/example-idp-cache.json";  // as the sample has it
constexpr const char* allow = "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES";
constexpr const char* impersonation =
    "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/resolver@example-proj.iam.gserviceaccount.com:generateAccessToken";

std::string reply(const std::string& token, std::int64_t expires_at) {
  return json::serialize(json::object{{"version", 1},
                                      {"success", true},
                                      {"token_type", "urn:ietf:params:oauth:token-type:id_token"},
                                      {"id_token", token},
                                      {"expiration_time", expires_at}});
}

std::int64_t seconds_from_now(SignedIn& s, std::chrono::seconds time) {
  return std::chrono::floor<std::chrono::seconds>((s.t.time->wall_now() + time).time_since_epoch()).count();
}

// Allowed to run programs, over a token service that always answers.
class WithProgram : public SignedIn {
 public:
  explicit WithProgram(json::object changes = {}, std::map<std::string, std::string, std::less<>> files = {},
                       std::map<std::string, std::string, std::less<>> variables = {{allow, "1"}})
      : SignedIn(credential_sample("external_account.executable", std::move(changes)), std::move(files), std::move(variables)) {
    t.answer(200, good_token);
    t.answer(200, "{}");
  }
  std::string subject_sent() { return form_of(requests().at(0))["subject_token"]; }
};

}  // namespace

TEST_CASE("a program is run only where the user has said that programs may be") {
  const std::string value = GENERATE("", "0", "true", "01");
  WithProgram s({}, {{kept_at, reply("kept-token", 4'000'000'000)}}, {{allow, value}});
  s.t.programs->answer(reply("subject-token", 4'000'000'000));
  const Result<HttpResponse> answer = s.fetch();
  check_failure(answer, Errc::refused_by_policy, allow);
  CHECK_THAT(answer.error().hint(), Catch::Contains("if you trust the credential file"));
  CHECK(s.t.programs->requests.empty());
  CHECK(s.requests().empty());
}

TEST_CASE("a program gets its arguments and the purpose of its token") {
  WithProgram s({{"service_account_impersonation_url", impersonation}});
  s.t.programs->answer(reply("subject-of-program", seconds_from_now(s, 1h)));
  s.t.transport->answers.clear();
  s.t.answer(200, R"({"access_token":"federated-token","expires_in":3599,"token_type":"Bearer"})");
  s.t.answer(200, R"({"accessToken":"account-token","expireTime":"2099-01-01T00:00:00Z"})");
  s.t.answer(200, "{}");
  REQUIRE(s.fetch().has_value());
  CHECK(s.subject_sent() == "subject-of-program");
  REQUIRE(s.t.programs->requests.size() == 1);
  const ProgramRequest& request = s.t.programs->requests[0];
  CHECK(request.words == std::vector<std::string>{"/usr/local/bin/example-idp", "--print-token"});
  CHECK_FALSE(request.is_interactive);
  CHECK_FALSE(request.shows_errors);
  CHECK(request.timeout == 5s);
  CHECK(request.max_output_bytes == 512 * 1024);
  const std::map<std::string, std::string> reported(request.variables.begin(), request.variables.end());
  CHECK(reported ==
        std::map<std::string, std::string>{
            {"GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE",
             "//iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/example-pool/providers/example-provider"},
            {"GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE", "urn:ietf:params:oauth:token-type:jwt"},
            {"GOOGLE_EXTERNAL_ACCOUNT_INTERACTIVE", "0"},
            {"GOOGLE_EXTERNAL_ACCOUNT_REVOKE", "0"},
            {"GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL", "resolver@example-proj.iam.gserviceaccount.com"},
            {"GOOGLE_EXTERNAL_ACCOUNT_OUTPUT_FILE", kept_at}});
}

TEST_CASE("the output file of an earlier run is used while its token is valid") {
  SECTION("still good: nothing is run") {
    WithProgram s({}, {{kept_at, reply("kept-token", 4'000'000'000)}});
    REQUIRE(s.fetch().has_value());
    CHECK(s.subject_sent() == "kept-token");
    CHECK(s.t.programs->requests.empty());
  }
  const std::string left = GENERATE(reply("kept-token", 1), std::string("nonsense"), std::string(R"({"version":1,"success":false})"),
                                    std::string(R"({"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:jwt",)"
                                                R"("id_token":"without-an-end"})"));
  SECTION("of no use: the program is run") {
    WithProgram s({}, {{kept_at, left}});
    s.t.programs->answer(reply("new-token", 4'000'000'000));
    REQUIRE(s.fetch().has_value());
    CHECK(s.subject_sent() == "new-token");
  }
}

TEST_CASE("programs without a token: the reason, without a secret") {
  const std::string secret = "secret-word-of-the-identity-provider";
  WithProgram s({{"credential_source", {{"executable", {{"command", "/opt/idp --password=" + secret}, {"timeout_millis", 5000}}}}}});
  const auto check = [&](Errc code, const std::string& part) {
    const Result<HttpResponse> answer = s.fetch();
    check_failure(answer, code, part);
    CHECK_THAT(answer.error().what(), Catch::Contains("/opt/idp"));
    CHECK(answer.error().message().find(secret) == std::string::npos);
    CHECK(s.requests().empty());
  };
  const auto ended = [&](ProgramOutput output) { s.t.programs->answers.emplace_back(Result<ProgramOutput>(std::move(output))); };
  SECTION("it ends with an exit code") {
    ended(FakePrograms::printed(reply(secret, 4'000'000'000), 3, "password: " + secret));
    check(Errc::unauthenticated, "exit code 3: password: ***");
  }
  SECTION("it ends with an exit code, and says why in its reply") {
    ended(FakePrograms::printed(R"({"version":1,"success":false,"code":"401","message":"no login"})", 1, "noise"));
    check(Errc::unauthenticated, "exit code 1: its reply: it failed with code '401': no login");
  }
  SECTION("a signal ends it") {
    ProgramOutput output = FakePrograms::printed("");
    output.signal = 9;
    ended(std::move(output));
    check(Errc::unauthenticated, "signal 9");
  }
  SECTION("it is late") {
    s.t.programs->answer(reply(secret, 4'000'000'000), 6s);
    check(Errc::response_timeout, "did not end in time");
  }
  SECTION("it prints too much") {
    s.t.programs->answers.emplace_back(Result<ProgramOutput>(Failure(Errc::limit_exceeded, "it printed more than 524288 bytes")));
    check(Errc::limit_exceeded, "524288");
  }
  SECTION("it cannot be started") {
    s.t.programs->answers.emplace_back(Result<ProgramOutput>(Failure(Errc::not_found, "there is no such program")));
    check(Errc::not_found, "no such program");
  }
  SECTION("its token has expired") {
    s.t.programs->answer(reply(secret, seconds_from_now(s, 0s)));
    check(Errc::unauthenticated, "has expired");
  }
  SECTION("it prints something else") {
    s.t.programs->answer(secret);
    check(Errc::malformed_response, "is not JSON");
  }
  SECTION("it prints another version") {
    s.t.programs->answer(R"({"version":2,"success":true,"id_token":")" + secret + R"("})");
    check(Errc::malformed_response, "the version is 2");
  }
  SECTION("an expiry that is no date") {
    s.t.programs->answer(
        R"({"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:jwt","expiration_time":-1,"id_token":")" + secret +
        R"("})");
    check(Errc::malformed_response, "expiration_time");
  }
}

TEST_CASE("a program says why it failed") {
  WithProgram s;
  s.t.programs->answer(read_sample("auth/executable-output.fail.json"));
  check_failure(s.fetch(), Errc::unauthenticated, "Caller not authorized.");
  CHECK(s.requests().empty());
  WithProgram talking;
  talking.t.programs->answer(
      R"({"version":1,"success":false,"code":"token: hush","message":"token SUBJ-4711 was rejected by https://u:hush@idp/"})");
  check_failure(talking.fetch(), Errc::unauthenticated, "it failed with code 'token: ***': token *** was rejected by https://***@idp/");
  WithProgram other;
  other.t.programs->answer(R"({"version":1,"success":true,"token_type":"ya29.a0ARrdaM"})");
  check_failure(other.fetch(), Errc::malformed_response, "the token_type '***' is not known");
}
