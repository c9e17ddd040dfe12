// The requests of each kind of credentials, and the use of the answers; in virtual time.
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <catch2/catch.hpp>

#include "auth/signed_in.hpp"
#include "base/base64.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

std::string from_base64url(std::string_view text) {
  std::string padded(text);
  std::replace(padded.begin(), padded.end(), '-', '+');
  std::replace(padded.begin(), padded.end(), '_', '/');
  padded.append((4 - padded.size() % 4) % 4, '=');
  return base64_decode(padded).value();
}

bool is_signed(const std::string& jwt) {
  const std::size_t dot = jwt.rfind('.');
  BIO* bio = BIO_new_mem_buf(rsa_test_key.data(), static_cast<int>(rsa_test_key.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  const std::string signature = from_base64url(std::string_view(jwt).substr(dot + 1));
  const bool is_good = EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key) == 1 &&
                       EVP_DigestVerify(context, reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                                        reinterpret_cast<const unsigned char*>(jwt.data()), dot) == 1;
  EVP_MD_CTX_free(context);
  EVP_PKEY_free(key);
  BIO_free(bio);
  return is_good;
}

json::object part_of(const std::string& jwt, std::size_t index) {
  return json::parse(from_base64url(split(jwt, '.').at(index))).as_object();
}

// A file that exists only once it has content.
class LaterFiles final : public Files {
 public:
  std::string content;
  mutable int reads = 0;
  Result<std::string> read(const std::string& path, std::size_t) const override {
    ++reads;
    if (content.empty() || path != "/gcloud/application_default_credentials.json") return Failure(Errc::not_found, "no such file");
    return content;
  }
};

asio::awaitable<Result<HttpResponse>> fetched(const Runtime& runtime) {
  auto script = [](Call& call) -> asio::awaitable<Result<HttpResponse>> {
    HttpRequest request(*Url::parse("https://tpu.googleapis.com/v2/x"));
    Result<HttpResponse> answer = co_await call.fetch(std::move(request), true);
    co_return answer;
  };
  return run_call<HttpResponse>(shared_impl_of(runtime), CallOptions(), "test", script);
}

}  // namespace

TEST_CASE("a service account signs its tokens itself") {
  SignedIn s(service_account_sample());
  s.t.answer(200, "{}");
  REQUIRE(s.fetch().has_value());
  REQUIRE(s.fetch().has_value());
  REQUIRE(s.requests().size() == 2);  // no other host was contacted
  const std::string jwt(s.requests()[0].bearer.reveal());
  CHECK(s.requests()[1].bearer == s.requests()[0].bearer);
  CHECK(is_signed(jwt));
  const json::object header = part_of(jwt, 0);
  CHECK(header.at("alg") == "RS256");
  CHECK(header.at("typ") == "JWT");
  CHECK(header.contains("kid"));
  const json::object claims = part_of(jwt, 1);
  CHECK(claims.at("iss") == claims.at("sub"));
  CHECK(claims.at("exp").as_int64() - claims.at("iat").as_int64() == 3600);
  CHECK(claims.at("scope") == "https://www.googleapis.com/auth/cloud-platform");
  CHECK_FALSE(claims.contains("aud"));
  s.t.time->advance(1h);
  REQUIRE(s.fetch().has_value());
  CHECK(s.requests()[2].bearer != s.requests()[0].bearer);
}

TEST_CASE("a service account whose own token is refused uses the token service") {
  SignedIn s(service_account_sample({{"token_uri", "https://oauth2.googleapis.com/token2"}}));
  s.t.answer(401, "{}");
  s.t.answer(200, good_token);
  s.t.answer(200, "{}");
  REQUIRE(s.fetch().has_value());
  REQUIRE(s.requests().size() == 3);
  const HttpRequest& grant = s.requests()[1];
  CHECK(grant.method == HttpMethod::post);
  CHECK(grant.url.target == "/token2");
  CHECK(grant.headers.get("content-type") == "application/x-www-form-urlencoded");
  CHECK(grant.bearer.empty());
  auto form = form_of(grant);
  CHECK(form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer");
  CHECK(is_signed(form["assertion"]));
  const json::object claims = part_of(form["assertion"], 1);
  CHECK(claims.at("aud") == "https://oauth2.googleapis.com/token");
  CHECK(claims.at("scope") == "https://www.googleapis.com/auth/cloud-platform");
  CHECK_FALSE(claims.contains("sub"));
  CHECK(s.requests()[2].bearer.reveal() == "ya29.fresh-token");
}

TEST_CASE("a late refusal of another token does not switch a service account to the token service") {
  SignedIn s(service_account_sample());
  s.t.answer(200, "{}");
  REQUIRE(s.fetch().has_value());
  impl_of(s.t.runtime).credentials->invalidate(AccessToken(Secret<std::string>("an older one")));
  s.t.time->advance(1h);
  REQUIRE(s.fetch().has_value());
  REQUIRE(s.requests().size() == 2);
  CHECK(is_signed(std::string(s.requests()[1].bearer.reveal())));
}

TEST_CASE("another universe has no token service to fall back on, and Google's hosts get none of its tokens") {
  const std::string file = service_account_sample({{"universe_domain", "cloud.example"}});
  {
    SignedIn s(file);
    s.t.answer(401, "{}");
    check_failure(s.fetch("https://tpu.cloud.example/v2/x"), Errc::unauthenticated, "401");
    for (const HttpRequest& request : s.requests()) CHECK(request.url.host == "tpu.cloud.example");
  }
  SignedIn s(file);
  s.t.answer(200, "{}");
  check_failure(s.fetch(), Errc::refused_by_policy, "cloud.example");
  CHECK(s.requests().empty());
}

TEST_CASE("a key whose line ends were written as two characters signs all the same") {
  std::string spoilt;
  for (const char c : rsa_test_key) spoilt += c == '\n' ? std::string("\\n") : std::string(1, c);
  SignedIn s(credential_sample("service_account", {{"private_key", spoilt}}));
  s.t.answer(200, "{}");
  CHECK(s.fetch().has_value());
  std::string flat;
  for (const char c : rsa_test_key) flat += c == '\n' ? ' ' : c;
  SignedIn other(credential_sample("service_account", {{"private_key", flat}}));
  const Result<HttpResponse> answer = other.fetch();
  check_failure(answer, Errc::invalid_argument, "is no PEM private key: its lines have no line ends in between");
  CHECK_THAT(answer.error().hint(), !Catch::Contains("make a new key"));
}

TEST_CASE("keys that cannot sign") {
  const auto [key, part] = GENERATE(table<std::string, std::string>({
      {"no key", "no PEM private key"},
      {short_rsa_test_key, "1024 bits"},
      {ec_test_key, "not an RSA key"},
  }));
  SignedIn s(credential_sample("service_account", {{"private_key", key}}));
  s.t.answer(200, "{}");
  const Result<HttpResponse> answer = s.fetch();
  check_failure(answer, Errc::invalid_argument, part);
  CHECK(answer.error().message().find(key) == std::string::npos);
  CHECK(s.requests().empty());
}

TEST_CASE("a user's refresh token") {
  SignedIn s(credential_sample("authorized_user"));
  s.t.answer(200, good_token);
  s.t.answer(200, "{}");
  REQUIRE(s.fetch().has_value());
  REQUIRE(s.requests().size() == 2);
  CHECK(s.requests()[0].url.without_query() == "https://oauth2.googleapis.com/token");
  auto form = form_of(s.requests()[0]);
  CHECK(form["grant_type"] == "refresh_token");
  CHECK(form["client_id"] == "000000000000-example.apps.googleusercontent.com");
  CHECK(form["client_secret"] == "EXAMPLE-not-secret");
  CHECK(form["refresh_token"] == "1//EXAMPLE-refresh-token");
  CHECK(form.size() == 4);
  CHECK(s.requests()[1].bearer.reveal() == "ya29.fresh-token");
  CHECK(s.requests()[1].headers.get("x-goog-user-project") == "example-proj");
}

TEST_CASE("the quota project of the environment comes first, and is sent once") {
  SignedIn s(credential_sample("authorized_user"), {}, {{"GOOGLE_CLOUD_QUOTA_PROJECT", "other"}});
  s.t.answer(200, good_token);
  s.t.answer(503, "{}");
  s.t.answer(200, "{}");
  REQUIRE(s.fetch().has_value());
  REQUIRE(s.requests().size() == 3);
  int count = 0;
  s.requests()[2].headers.each(
      [&count](std::string_view name, std::string_view value) { count += name == "x-goog-user-project" && value == "other"; });
  CHECK(count == 1);
}

TEST_CASE("a token service's refusals: what is final, what is tried again, and that no secret is repeated") {
  SECTION("revoked") {
    SignedIn s(credential_sample("authorized_user"));
    s.t.answer(400, R"({"error":"invalid_grant","error_description":"1//EXAMPLE-refresh-token is bad, so is EXAMPLE-not-secret"})");
    const Result<HttpResponse> answer = s.fetch();
    check_failure(answer, Errc::unauthenticated, "invalid_grant");
    CHECK(s.requests().size() == 1);
    CHECK(answer.error().message().find("EXAMPLE-refresh-token") == std::string::npos);
    CHECK(answer.error().message().find("EXAMPLE-not-secret") == std::string::npos);
    CHECK_THAT(answer.error().what(), Catch::Contains("***"));
  }
  SECTION("not for long") {
    SignedIn s(credential_sample("authorized_user"));
    s.t.answer(400, read_sample("auth/reply.oauth-temporarily-unavailable-400.json"));
    s.t.answer(200, good_token);
    s.t.answer(200, "{}");
    REQUIRE(s.fetch().has_value());
    CHECK(s.requests().size() == 3);
  }
  SECTION("log in again") {
    SignedIn s(credential_sample("authorized_user"));
    s.t.answer(400, read_sample("auth/reply.oauth-invalid-rapt.json"));
    const Result<HttpResponse> answer = s.fetch();
    check_failure(answer, Errc::unauthenticated, "invalid_grant");
    CHECK_THAT(answer.error().hint(), Catch::Contains("log in again"));
  }
}

TEST_CASE("a file is read again after its credentials were refused") {
  SignedIn s(credential_sample("authorized_user"));
  s.t.answer(400, R"({"error":"invalid_grant"})");
  s.t.answer(200, good_token);
  s.t.answer(200, "{}");
  CHECK(s.fetch().has_error());
  CHECK(s.fetch().has_value());
}

TEST_CASE("a login during a program's wait is found by its next call") {
  auto files = std::make_shared<LaterFiles>();
  TestRuntime t;
  RuntimeOptions options;
  options.http = t.transport;
  options.time = t.time;
  options.environment = fixed_environment({{"CLOUDSDK_CONFIG", "/gcloud"}});
  options.files = files;
  const Runtime runtime(t.io.get_executor(), options);
  t.answer(404, "not a metadata server");
  check_failure(t.run(fetched(runtime)), Errc::failed_precondition, "there is no /gcloud/application_default_credentials.json");
  t.transport->answers.clear();
  t.answer(200, good_token);
  t.answer(200, "{}");
  files->content = credential_sample("authorized_user");
  CHECK(t.run(fetched(runtime)).has_value());
  // A failure that is no rejection does not read the file again.
  t.time->advance(2h);
  t.transport->answers.clear();
  t.answer(Failure(Errc::unreachable, "nobody is there").with_phase(Phase::connect));
  const int reads = files->reads;
  for (int i = 0; i < 2; ++i) check_failure(t.run(fetched(runtime)), Errc::unreachable, "nobody is there");
  CHECK(files->reads == reads);
}

TEST_CASE("a quota project that cannot be sent") {
  SignedIn s(credential_sample("authorized_user"), {}, {{"GOOGLE_CLOUD_QUOTA_PROJECT", "other\r\nX-Evil: 1"}});
  s.t.answer(200, good_token);
  check_failure(s.fetch(), Errc::invalid_argument, "the quota project of GOOGLE_CLOUD_QUOTA_PROJECT cannot be sent");
  CHECK(s.requests().empty());
}

TEST_CASE("a workforce user's refresh token is replaced by what comes with an answer") {
  SignedIn s(credential_sample("external_account_authorized_user"));
  s.t.answer(200, R"({"access_token":"first-token","expires_in":100,"token_type":"Bearer","refresh_token":"second-refresh"})");
  s.t.answer(200, "{}");
  s.t.answer(200, R"({"access_token":"second-token","expires_in":100,"token_type":"Bearer"})");
  s.t.answer(200, "{}");
  REQUIRE(s.fetch().has_value());
  s.t.time->advance(100s);
  REQUIRE(s.fetch().has_value());
  REQUIRE(s.requests().size() == 4);
  CHECK(form_of(s.requests()[0])["refresh_token"] == "EXAMPLE-refresh");
  CHECK(form_of(s.requests()[2])["refresh_token"] == "second-refresh");
  CHECK(form_of(s.requests()[0]).size() == 2);
  CHECK(s.requests()[0].headers.get("authorization") == "Basic " + base64_encode("example-client:EXAMPLE-not-secret"));
}

TEST_CASE("an impersonated service account: its source's token, then its own") {
  SignedIn s(credential_sample("impersonated_service_account", {{"delegates", {"projects/-/serviceAccounts/a@b"}}}));
  s.t.answer(200, R"({"access_token":"source-token","expires_in":3599,"token_type":"Bearer"})");
  s.t.answer(200, R"({"accessToken":"account-token","expireTime":"2099-01-01T00:00:00Z"})");
  s.t.answer(200, "{}");
  REQUIRE(s.fetch().has_value());
  REQUIRE(s.requests().size() == 3);
  const HttpRequest& request = s.requests()[1];
  CHECK(request.url.host == "iamcredentials.googleapis.com");
  CHECK(request.bearer.reveal() == "source-token");
  CHECK(json::parse(request.body) == json::parse(R"({"delegates":["projects/-/serviceAccounts/a@b"],
      "scope":["https://www.googleapis.com/auth/cloud-platform"],"lifetime":"3600s"})"));
  CHECK(s.requests()[2].bearer.reveal() == "account-token");
}
