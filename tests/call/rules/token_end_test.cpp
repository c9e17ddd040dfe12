// The expiry that a token contains.
#include "call/rules/token_end.hpp"

#include <catch2/catch.hpp>

#include "base/base64.hpp"
#include "base/timestamp.hpp"

using namespace rollcall;

TEST_CASE("the expiry of a JSON Web Token") {
  const auto token = [](const std::string& claims) {
    return base64url_encode(R"({"alg":"RS256"})") + "." + base64url_encode(claims) + ".c2ln";
  };
  const auto shown = [&](const std::string& claims) {
    const std::optional<WallTime> end = token_end(token(claims));
    return end ? format_rfc3339(*end) : std::string("none");
  };
  CHECK(shown(R"({"exp":1735689600})") == "2025-01-01T00:00:00Z");
  CHECK(shown(R"({"exp":1735689600.75})") == "2025-01-01T00:00:00Z");
  CHECK(token_end(token(R"({"exp":1e300})")) > token_end(token(R"({"exp":4102444800})")));
  for (const char* claims : {"{}", "[]", "no JSON", R"({"exp":"1735689600"})", R"({"exp":null})"}) CHECK(shown(claims) == "none");
  for (const char* text : {"", "ya29.opaque-token", "a.b", "a.*.c", "a.b.c.d"}) CHECK_FALSE(token_end(text));
}
