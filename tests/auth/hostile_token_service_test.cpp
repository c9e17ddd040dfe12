// Token services with wrong answers: no secret is sent elsewhere, only valid tokens are used, and lifetimes are limited; in virtual time.
#include <catch2/catch.hpp>

#include "auth/signed_in.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

TEST_CASE("answers of a token service without a token") {
  const auto [status, body, code] = GENERATE(table<int, std::string, Errc>({
      {200, "", Errc::malformed_response},
      {200, "<html>log in to the hotel's network</html>", Errc::malformed_response},
      {200, R"({"access_token":"a-token-of-a-kind","token_type":"MAC"})", Errc::malformed_response},
      {200, R"({"access_token":["a-token"],"token_type":"Bearer"})", Errc::malformed_response},
      {200, R"({"access_token":"a\r\nX-Evil: 1","token_type":"Bearer"})", Errc::malformed_response},
      {200, R"({"access_token":")" + std::string(300 * 1024, 'a') + R"("})", Errc::limit_exceeded},
  }));
  SignedIn s(credential_sample("authorized_user"));
  s.t.answer(status, body);
  const Result<HttpResponse> answer = s.fetch();
  check_failure(answer, code, "token of the user");
  CHECK(s.requests().size() == 1);  // the service that required a token got no request
  for (const char* secret : {"EXAMPLE-refresh", "EXAMPLE-not-secret", "a-token", "aaaa"})
    CHECK(answer.error().message().find(secret) == std::string::npos);
}

TEST_CASE("a token service that redirects") {
  SignedIn s(credential_sample("authorized_user"));
  s.t.transport->respond = [](const HttpRequest&) {
    HttpResponse moved;
    moved.status = 307;
    moved.headers.add("Location", "https://evil.test/token");
    return ScriptedTransport::Answer(Result<HttpResponse>(std::move(moved)));
  };
  CHECK(s.fetch().has_error());
  for (const HttpRequest& request : s.requests()) CHECK(request.url.host == "oauth2.googleapis.com");
}

TEST_CASE("unreasonable lifetimes") {
  const auto reply = [](const char* lifetime) {
    return std::string(R"({"access_token":"ya29.some-token","token_type":"Bearer","expires_in":)") + lifetime + "}";
  };
  SECTION("ended already: for those who wait for it alone") {
    SignedIn s(credential_sample("authorized_user"));
    const std::string text = reply(GENERATE("-3600", "0", "-1e300", "\"-5\""));
    for (int i = 0; i < 2; ++i) {
      s.t.answer(200, text);
      s.t.answer(200, "{}");
    }
    REQUIRE(s.fetch().has_value());
    REQUIRE(s.fetch().has_value());
    CHECK(s.requests().size() == 4);
  }
  SECTION("endless: for a year at most") {
    SignedIn s(credential_sample("authorized_user"));
    for (int i = 0; i < 2; ++i) {
      s.t.answer(200, reply(i == 0 ? "1e300" : "3600"));
      s.t.answer(200, "{}");
    }
    REQUIRE(s.fetch().has_value());
    s.t.time->advance(24h * 367);
    REQUIRE(s.fetch().has_value());
    CHECK(s.requests().size() == 4);
  }
}

TEST_CASE("an impersonated account's token that ended in 1970, ends in two hundred years, or never") {
  const auto [expiry, requests] = GENERATE(
      table<std::string, std::size_t>({{"1970-01-01T00:00:00Z", 5}, {"2200-12-31T23:59:59Z", 4}, {"9999-12-31T23:59:59Z", 0}, {"-1", 0}}));
  SignedIn s(credential_sample("impersonated_service_account"));
  s.t.transport->respond = [text = expiry](const HttpRequest& request) {
    std::string body = "{}";
    if (request.url.host == "oauth2.googleapis.com") body = good_token;
    if (request.url.host == "iamcredentials.googleapis.com") body = R"({"accessToken":"account-token","expireTime":")" + text + R"("})";
    return ScriptedTransport::Answer(Result<HttpResponse>(ScriptedTransport::reply(200, std::move(body))));
  };
  CAPTURE(expiry);
  if (requests == 0) return check_failure(s.fetch(), Errc::malformed_response, "expireTime");
  REQUIRE(s.fetch().has_value());
  REQUIRE(s.fetch().has_value());
  CHECK(s.requests().size() == requests);
}
