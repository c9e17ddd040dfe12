// Token replies and token texts; messages never quote a token.
#include "auth/wire/token.hpp"

#include <catch2/catch.hpp>

#include "base/timestamp.hpp"
#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

TokenReply token_of(const std::string& json) { return value_of(parse_token_reply(json)); }

std::optional<Duration> lifetime_of(const std::string& expires_in) {
  return token_of(R"({"access_token":"t","expires_in":)" + expires_in + "}").lifetime;
}

}  // namespace

TEST_CASE("token replies") {
  const TokenReply reply = token_of(read_sample("metadata/token.json"));
  CHECK(reply.access_token.reveal() == "ya29.c.EXAMPLE-not-a-real-token-000000000000");
  CHECK(reply.lifetime == 3599s);
  CHECK(token_of(read_sample("metadata/token.near-expiry.json")).lifetime == 271s);
  CHECK(token_of(read_sample("metadata/token.string-expiry.json")).lifetime == 3599s);
  CHECK(token_of(read_sample("auth/reply.oauth-token.json")).lifetime == 3599s);
  CHECK(token_of(read_sample("auth/reply.sts-token.json")).access_token.reveal() == "ya29.d.EXAMPLE-federated");
}

TEST_CASE("lifetimes") {
  CHECK(lifetime_of("0") == 0s);
  CHECK(lifetime_of("-5") == 0s);
  CHECK(lifetime_of("\"-5\"") == 0s);
  CHECK(lifetime_of("1.9") == 1s);
  CHECK(lifetime_of("null") == std::nullopt);
  CHECK(token_of(R"({"access_token":"t"})").lifetime == std::nullopt);
  CHECK(lifetime_of("99999999999999999999") == 366 * 24h);
  CHECK(lifetime_of("9223372036854775807") == 366 * 24h);
  CHECK(lifetime_of("1e300") == 366 * 24h);
}

TEST_CASE("malformed token replies are refused without quoting them") {
  for (const std::string json :
       {"", "[]", "<html>", R"({"access_token":"SECRET)", R"({"access_token":""})", R"({"access_token":5})", R"({"expires_in":5})",
        R"({"access_token":"SECRET x"})", R"({"access_token":"SECRET\n"})", R"({"access_token":"SECRET","expires_in":"SECRET"})",
        R"({"access_token":"SECRET","expires_in":{}})", R"({"access_token":"SECRET","expires_in":0e999})",
        R"({"access_token":"SECRET","token_type":"SECRETMAC"})", R"({"access_token":"SECRET"} SECRET)", R"({"access_token":"SECRETé"})"}) {
    INFO(json);
    const Result<TokenReply> reply = parse_token_reply(json);
    REQUIRE(!reply);
    CHECK(reply.error().code() == Errc::malformed_response);
    CHECK(reply.error().message().find("SECRET") == std::string::npos);
  }
  CHECK(token_of(R"({"access_token":"t","token_type":"bearer"})").access_token.reveal() == "t");
  CHECK_FALSE(parse_token_reply("{\"access_token\":\"" + std::string(100'000, 'x') + "\"}").has_value());
  CHECK(parse_token_reply("{\"a\":" + nested(1000) + "}").error().code() == Errc::limit_exceeded);
  const std::string text = R"({"access_token":"t","expires_in":3599})";
  for_each_prefix(text, [&](std::string_view part) { CHECK(parse_token_reply(part).has_value() == (part.size() == text.size())); });
}

TEST_CASE("generated tokens expire at a date") {
  const std::string json = read_sample("auth/reply.generate-access-token.json");
  CHECK(parse_generated_token(json, *parse_rfc3339("2026-11-20T18:00:00Z"))->lifetime == 22min + 41s);
  CHECK(parse_generated_token(json, *parse_rfc3339("2027-11-20T18:00:00Z"))->lifetime == 0s);
  CHECK(parse_generated_token(json, *parse_rfc3339("1700-11-20T18:00:00Z"))->lifetime == 366 * 24h);
  CHECK(parse_generated_token(R"({"accessToken":"t","expireTime":"tomorrow"})", WallTime()).error().code() == Errc::malformed_response);
  CHECK(parse_generated_token(R"({"expireTime":"2026-11-20T18:22:41Z"})", WallTime()).error().code() == Errc::malformed_response);
}

TEST_CASE("token texts") {
  CHECK(parse_token_text("F", " ya29.x \r\n")->reveal() == "ya29.x");
  for (const std::string text : {"", " \n", "SECRET x", "SECRET\nx", "SECRET\x01", "SECRET\x7f", "SECRETé", "SECRET\tx"}) {
    const Result<Secret<std::string>> token = parse_token_text("ROLLCALL_ACCESS_TOKEN", text);
    REQUIRE(!token);
    CHECK(token.error().code() == Errc::invalid_argument);
    CHECK_THAT(token.error().message(), Catch::Contains("ROLLCALL_ACCESS_TOKEN") && Catch::Contains("kubectl create token"));
    CHECK(token.error().message().find("SECRET") == std::string::npos);
  }
  CHECK_FALSE(parse_token_text("F", std::string("SEC\0RET", 7)).has_value());
  CHECK_FALSE(parse_token_text("F", std::string(20'000, 'x')).has_value());
}

TEST_CASE("a document larger than one block of memory is read and freed") {
  std::string json = R"({"padding":[)";
  for (int i = 0; i < 5000; ++i) json += "\"some text to fill blocks\",";
  CHECK(token_of(json + R"(0],"access_token":"t"})").access_token.reveal() == "t");
}
