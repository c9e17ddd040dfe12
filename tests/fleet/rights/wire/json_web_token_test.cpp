// Parsing of JSON Web Tokens and key sets, and the refusals that come before any signature is verified.
#include "fleet/rights/wire/json_web_token.hpp"

#include <catch2/catch.hpp>

#include "base/base64.hpp"
#include "fleet/rights/rules/token_claims.hpp"
#include "fleet/rights/wire/key_set.hpp"
#include "fleet/rights/wire/token_review.hpp"

using namespace rollcall;
using namespace rollcall::fleet;

namespace {

std::string web_token(const std::string& header, const std::string& claims, const std::string& signature = "sig") {
  return base64url_encode(header) + "." + base64url_encode(claims) + "." + base64url_encode(signature);
}
std::string with_claims(const std::string& claims) { return web_token(R"({"alg":"RS256","kid":"k"})", claims); }

std::string refusal_of(const std::string& text) {
  const Result<JsonWebToken> parsed = parse_json_web_token(text);
  if (parsed) return "";
  CHECK(parsed.error().code() == Errc::unauthenticated);
  CHECK(parsed.error().message().find("secret") == std::string::npos);
  return parsed.error().what();
}

constexpr std::int64_t token_time = 1'800'000'000;
const WallTime token_now{std::chrono::seconds(token_time)};

std::string claim_refusal(const std::string& claims) {
  const Result<JsonWebToken> parsed = parse_json_web_token(with_claims(claims));
  if (!parsed) return parsed.error().what();
  const Result<void> fine = check_claims(*parsed, "rollcall", std::chrono::hours(2), token_now);
  return fine ? "" : fine.error().what();
}

std::string times(const std::string& more) { return R"({"aud":"rollcall",)" + more + "}"; }

std::string key_set_of(const std::string& keys) { return R"({"keys":[)" + keys + "]}"; }
std::string rsa(std::size_t bytes, const std::string& more = R"(,"e":"AQAB")", char first = '\xff') {
  std::string modulus(bytes, '\xff');
  modulus[0] = first;
  return R"({"kty":"RSA","kid":"a","n":")" + base64url_encode(modulus) + "\"" + more + "}";
}

}  // namespace

TEST_CASE("a token is taken apart") {
  const std::string text = with_claims(
      R"({"iss":"i","sub":"s","aud":["a","b"],"exp":1.5,"nbf":2,"iat":3,"email":"e@x","email_verified":true,"google":{"compute_engine":{"project_id":"p"}}})");
  const JsonWebToken token = parse_json_web_token(text).value();
  CHECK(token.algorithm == SignatureAlgorithm::rs256);
  CHECK(token.key_id == "k");
  CHECK(token.signature == "sig");
  CHECK(token.signed_part == text.substr(0, text.rfind('.')));
  CHECK(token.audiences == std::vector<std::string>{"a", "b"});
  CHECK(token.expires == 1);
  CHECK(token.not_before == 2);
  CHECK(token.issued_at == 3);
  CHECK(token.is_email_verified);
  CHECK(token.instance_project == "p");
}

TEST_CASE("tokens of other forms and algorithms are refused by name, and not quoted") {
  CHECK(refusal_of("") == "the token is no JSON Web Token: it has not three parts");
  CHECK(refusal_of("secret") == "the token is no JSON Web Token: it has not three parts");
  CHECK(refusal_of("secret.b.c.d.e") == "the token is no JSON Web Token: it has not three parts");
  CHECK(refusal_of("se=cret.b.c") == "the token is no JSON Web Token: its header is not base64url");
  CHECK(refusal_of(web_token("[\"secret\"]", "{}")) == "the token is no JSON Web Token: its header is not a JSON object");
  CHECK(refusal_of(web_token(R"({"secret":1})", "{}")) == "the token names no algorithm (alg)");
  for (const char* algorithm : {"none", "None", "HS256", "RS384", "RS512", "PS256", "EdDSA", "rs256", ""}) {
    CHECK(refusal_of(web_token(std::string(R"({"alg":")") + algorithm + "\"}", "{}")) ==
          "the token is signed with another algorithm (alg) than RS256 and ES256");
  }
  CHECK(refusal_of(web_token(R"({"alg":["RS256"]})", "{}")) == "the token names no algorithm (alg)");
  CHECK(refusal_of(web_token(R"({"alg":"RS256","crit":["b64"]})", "{}")) ==
        "the token has critical extensions (crit), of which none are known");
  CHECK(refusal_of(web_token(R"({"alg":"RS256","crit":null})", "{}")).find("crit") != std::string::npos);
  CHECK(refusal_of(web_token(R"({"alg":"RS256","kid":7})", "{}")).find("(kid)") != std::string::npos);
  CHECK(refusal_of(web_token(R"({"alg":"none","alg":"RS256"})", "{}")) == "the token has a key twice in its header");
  CHECK(refusal_of(with_claims(R"({"aud":"rollcall","aud":"secret"})")) == "the token has a key twice in its claims");
  CHECK(refusal_of(with_claims(R"({"google":{"compute_engine":{"project_id":"p","project_id":"q"}}})")) ==
        "the token has a key twice in its claims");
  CHECK(refusal_of(with_claims(R"({"aud":"a","\u0061ud":"b"})")) == "the token has a key twice in its claims");
  CHECK(refusal_of(with_claims(R"({"exp":"secret"})")) == "the token has a claim exp that is no number");
  CHECK(refusal_of(with_claims(R"({"exp":1e300})")) == "the token has a claim exp that is no time");
  CHECK(refusal_of(with_claims(R"({"exp":-1})")) == "the token has a claim exp that is no time");
  CHECK(refusal_of(with_claims(R"({"exp":null})")) == "the token has a claim exp that is no number");
  CHECK(refusal_of(with_claims(R"({"iss":["secret"]})")) == "the token has a claim iss that is no text");
  CHECK(refusal_of(with_claims(R"({"aud":{"secret":1}})")).find("aud") != std::string::npos);
  CHECK(refusal_of(with_claims(R"({"aud":["a",7]})")).find("aud") != std::string::npos);
  CHECK(refusal_of(web_token(R"({"alg":"RS256"})", "{}", "")) == "the token has no signature");
  CHECK(refusal_of(web_token(R"({"alg":"RS256"})", "{}") + "=") == "the token is no JSON Web Token: its signature is not base64url");
  CHECK(refusal_of(with_claims(R"({"x":")" + std::string(max_token_bytes, 'a') + "\"}")) == "the token has more than 16384 bytes");
  CHECK(refusal_of(with_claims(R"({"x":)" + std::string(100, '[') + std::string(100, ']') + "}")).find("JSON object") != std::string::npos);
}

TEST_CASE("claims: audience and times, with a minute of grace") {
  const std::string soon = R"("exp":1800003600)";
  CHECK(claim_refusal(times(soon)).empty());
  CHECK(claim_refusal(R"({"aud":["x","rollcall"],"exp":1800003600})").empty());
  CHECK(claim_refusal(R"({"aud":"Rollcall","exp":1800003600})") == "the token is for another audience (aud)");
  CHECK(claim_refusal(R"({"exp":1800003600})") == "the token is for no audience (aud)");
  CHECK(claim_refusal(R"({"aud":[],"exp":1800003600})") == "the token is for no audience (aud)");
  CHECK(claim_refusal(R"({"aud":"rollcall"})") == "the token has no end (exp)");
  CHECK(claim_refusal(times(R"("exp":1799999941)")).empty());
  CHECK(claim_refusal(times(R"("exp":1799999940)")) == "the token has expired (exp)");
  CHECK(claim_refusal(times(R"("exp":0)")) == "the token has expired (exp)");
  CHECK(claim_refusal(times(R"("exp":1800007260)")).empty());
  CHECK(claim_refusal(times(R"("exp":1800007261)")) == "the token is valid for too long (exp)");
  CHECK(claim_refusal(times(R"("exp":99999999999)")) == "the token is valid for too long (exp)");
  CHECK(claim_refusal(times(soon + R"(,"nbf":1800000060,"iat":1800000060)")).empty());
  CHECK(claim_refusal(times(soon + R"(,"nbf":1800000061)")) == "the token is not valid yet (nbf)");
  CHECK(claim_refusal(times(soon + R"(,"iat":1800000061)")) == "the token is issued in the future (iat)");
}

TEST_CASE("the owner that claims name") {
  CHECK(service_account_name("system:serviceaccount:train:default").value() == "train/default");
  for (const char* subject :
       {"", "system:serviceaccount:", "system:serviceaccount:a", "system:serviceaccount:a:b:c",
        "system:serviceaccount:a:", "system:serviceaccount::b", "system:serviceaccount:a/b:c", "system:serviceaccount:a:b/c",
        "system:node:a:b", "system:serviceaccount:a:b c", "xsystem:serviceaccount:a:b"}) {
    INFO(subject);
    CHECK_FALSE(service_account_name(subject).has_value());
  }
  JsonWebToken token;
  const auto name = [&token](const std::string& email, const std::string& project = "") {
    token.email = email;
    token.instance_project = project;
    const Result<std::string> found = google_account_name(token, {"p", "p.evil"});
    return found ? *found : found.error().what();
  };
  CHECK(name("a@p.iam.gserviceaccount.com") == "the token names an account that is not verified (email_verified)");
  token.is_email_verified = true;
  CHECK(name("a@p.iam.gserviceaccount.com") == "p/a@p.iam.gserviceaccount.com");
  CHECK(name("1-compute@developer.gserviceaccount.com", "p") == "p/1-compute@developer.gserviceaccount.com");
  CHECK(name("a@p.iam.gserviceaccount.com", "other") == "the token is of a project that is not listed");
  CHECK(name("a@other.iam.gserviceaccount.com") == "the token is of a project that is not listed");
  for (const char* email :
       {"", "a", "@p.iam.gserviceaccount.com", "a@p.iam.gserviceaccount.com.evil.com", "a@.iam.gserviceaccount.com",
        "a@iam.gserviceaccount.com", "a@b@p.iam.gserviceaccount.com", "a/b@p.iam.gserviceaccount.com", "ada@example.com",
        "a@p/.iam.gserviceaccount.com", "1-compute@developer.gserviceaccount.com", "a@P.iam.gserviceaccount.com"}) {
    INFO(email);
    CHECK(name(email).starts_with("the token"));
  }
}

TEST_CASE("key sets: of RS256 and ES256, others are passed over, weak ones are known as such") {
  const std::vector<WebKey> keys =
      parse_key_set(key_set_of(rsa(256) + "," + rsa(128) + "," + rsa(1025) + "," + rsa(256, R"(,"e":"AQAA")") + "," +
                               rsa(256, R"(,"e":"AQ")") + "," + rsa(256, R"(,"e":"AQAAAAAAAAAB")") + "," +
                               rsa(256, R"(,"e":"AQAB","alg":"RS512")") + "," + rsa(256, R"(,"e":"AQAB","use":"enc")") +
                               R"(,{"kty":"oct","k":"c2VjcmV0"},{"kty":"EC","crv":"P-384"})"))
          .value();
  REQUIRE(keys.size() == 6);
  CHECK(keys[0].fault.empty());
  CHECK(keys[1].fault == "has 1024 bits: fewer than 2048 are refused");
  CHECK(keys[2].fault == "has 8200 bits: more than 8192 are refused");
  for (std::size_t i = 3; i < 6; ++i) CHECK(keys[i].fault == "has an exponent that no key should have");
  CHECK(parse_key_set(key_set_of(rsa(256, R"(,"e":"AQAB")", '\x7f'))).value()[0].fault == "has 2047 bits: fewer than 2048 are refused");
  for (const std::string& text :
       {std::string("{}"), std::string("[]"), key_set_of(""), key_set_of("7"), key_set_of(R"({"kty":"RSA"})"),
        key_set_of(R"({"kty":"EC","crv":"P-256","x":"AA","y":"AA"})"), key_set_of(R"({"kty":"oct"})"), std::string("<html>")}) {
    INFO(text);
    CHECK_FALSE(parse_key_set(text).has_value());
  }
  std::string many = rsa(256);
  for (std::size_t i = 0; i < max_keys_of_issuer; ++i) many += R"(,{"kty":"oct"})";
  CHECK(parse_key_set(key_set_of(many)).error().code() == Errc::limit_exceeded);
  CHECK(parse_issuer(R"({"issuer":"https://i","jwks_uri":"https://evil"})").value() == "https://i");
  CHECK_FALSE(parse_issuer(R"({"issuer":""})").has_value());
}

TEST_CASE("a review counts with its audience only, and refusals do not repeat the server's words") {
  CHECK(render_token_review("a.b.c", "x\"y") ==
        R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"audiences":["x\"y"],"token":"a.b.c"}})");
  const auto verdict = [](const std::string& status) { return parse_token_review(R"({"status":)" + status + "}", "rollcall"); };
  CHECK(verdict(R"({"authenticated":true,"audiences":["rollcall"],"user":{"username":"u"}})").value() == "u");
  const Result<std::string> refused = verdict(R"({"user":{},"error":"[invalid bearer token, secret]"})");
  CHECK(refused.error().code() == Errc::unauthenticated);
  CHECK(refused.error().message().find("secret") == std::string::npos);
  for (const char* status :
       {R"({"authenticated":"true","audiences":["rollcall"],"user":{"username":"u"}})", R"({"authenticated":true,"user":{"username":"u"}})",
        R"({"authenticated":true,"audiences":[],"user":{"username":"u"}})",
        R"({"authenticated":true,"audiences":"rollcall","user":{"username":"u"}})",
        R"({"authenticated":true,"audiences":["https://kubernetes.default.svc"],"user":{"username":"u"}})"}) {
    INFO(status);
    CHECK(verdict(status).error().code() == Errc::unauthenticated);
  }
  CHECK(verdict(R"({"authenticated":true,"audiences":["rollcall"],"user":{}})").error().code() == Errc::malformed_response);
  CHECK(parse_token_review("{}", "rollcall").error().code() == Errc::malformed_response);
}
