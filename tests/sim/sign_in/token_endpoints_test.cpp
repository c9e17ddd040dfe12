// The token endpoints: issued tokens, refusals, and the acceptance of the tokens by other services.
#include "base/base64.hpp"
#include "sim/sign_in_support.hpp"

namespace rollcall::sim {

namespace {

constexpr std::string_view people = R"({"api": {"tokens": []}, "sign_in": {"lifetime": "10m",
  "users": [{"name": "ada@example.com", "client_id": "client", "client_secret": "hush", "refresh_token": "1//ada"},
            {"name": "bob@example.com", "refresh_token": "1//bob", "revoked_at": 60}],
  "service_accounts": [{"email": "trainer@example-proj.iam.gserviceaccount.com"}],
  "providers": [{"audience": "//iam/of-ci", "name": "ci", "subject_tokens": ["good"]}]}, "nodes": [{"name": "n"}]})";
const std::string refresh_of_ada = "grant_type=refresh_token&client_id=client&client_secret=hush&refresh_token=1%2F%2Fada";
const std::string exchange_for_ci =
    "grant_type=urn:ietf:params:oauth:grant-type:token-exchange&requested_token_type=urn:ietf:params:oauth:token-type:access_token"
    "&subject_token_type=urn:ietf:params:oauth:token-type:jwt&audience=%2F%2Fiam%2Fof-ci&subject_token=";

std::string jwt(std::int64_t issued_at, std::string_view more) {
  const std::string claims = "{\"iat\":" + std::to_string(issued_at) + ",\"exp\":" + std::to_string(issued_at + 3600) +
                             R"(,"iss":"trainer@example-proj.iam.gserviceaccount.com",)" + std::string(more) + "}";
  return base64url_encode(R"({"alg":"RS256"})") + "." + base64url_encode(claims) + ".c2lnbmF0dXJl";
}
constexpr std::int64_t start = 1767225600;  // 2026-01-01
std::string assertion(std::int64_t issued_at, std::string_view more = R"("aud":"https://oauth2.googleapis.com/token","scope":"x")") {
  return "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=" + jwt(issued_at, more);
}

int status_with(Cloud& cloud, const std::string& token, double at = 0) {
  return cloud.handle(api_request(nodes_path("/n"), token), second(at)).status;
}

}  // namespace

TEST_CASE("sign-in: a refresh token gives an access token that the services accept until it expires") {
  const auto cloud = cloud_of(people);
  const Reply reply = ask_oauth(*cloud, refresh_of_ada);
  CHECK(reply.status == 200);
  CHECK(json_of(reply).at("expires_in") == 600);
  CHECK(json_of(reply).at("token_type") == "Bearer");
  const std::string token = token_in(reply);
  CHECK(token != token_in(ask_oauth(*cloud, refresh_of_ada)));
  CHECK(status_with(*cloud, token, 599) == 200);
  CHECK(status_with(*cloud, token, 600) == 401);
  CHECK(status_with(*cloud, token + "0") == 401);
  CHECK(status_with(*cloud, "another") == 401);
  CHECK(cloud->counts().at("oauth.token") == 2);
}

TEST_CASE("sign-in: refusals of the OAuth service have Google's form") {
  const auto cloud = cloud_of(people);
  const auto refused = [&](const std::string& form, double at = 0, const std::string& target = "/token") {
    const Reply reply = ask_oauth(*cloud, form, at, target);
    return std::to_string(reply.status) + " " + std::string(json_of(reply).at("error").as_string()) + ": " +
           std::string(json_of(reply).at("error_description").as_string());
  };
  CHECK(refused("") == "400 invalid_request: Missing required parameter: grant_type");
  CHECK(refused("grant_type=password") == "400 unsupported_grant_type: Invalid grant_type: password");
  CHECK(refused("grant_type=refresh_token") == "400 invalid_request: Missing required parameter: refresh_token");
  CHECK(refused("grant_type=refresh_token&refresh_token=1//eve") == "400 invalid_grant: Bad Request");
  CHECK(refused("grant_type=refresh_token&client_id=other&refresh_token=1//ada") == "401 invalid_client: The OAuth client was not found.");
  CHECK(refused("grant_type=refresh_token&client_id=client&refresh_token=1//ada") == "401 invalid_client: Unauthorized");
  CHECK(ask_oauth(*cloud, "grant_type=refresh_token&refresh_token=1//bob", 59).status == 200);
  CHECK(refused("grant_type=refresh_token&refresh_token=1//bob", 60) == "400 invalid_grant: Token has been expired or revoked.");
  CHECK(refused(std::string(70'000, 'x')).starts_with("413 invalid_request"));
  CHECK(refused(exchange_for_ci + "good").starts_with("400 unsupported_grant_type"));
  Request plain = oauth_request(refresh_of_ada);
  plain.headers.set("Content-Type", "application/json");
  CHECK(cloud->handle(plain, second(0)).status == 400);
  plain.method = "GET";
  CHECK(cloud->handle(plain, second(0)).status == 405);
}

TEST_CASE("sign-in: a workforce login sends its client by HTTP Basic") {
  const auto cloud = cloud_of(people);
  Request request = oauth_request("grant_type=refresh_token&refresh_token=1//ada", "/v1/oauthtoken", "sts.googleapis.com");
  CHECK(cloud->handle(request, second(0)).status == 401);
  request.headers.add("Authorization", "Basic " + base64_encode("client:hush"));
  CHECK(status_with(*cloud, token_in(cloud->handle(request, second(0)))) == 200);
}

TEST_CASE("sign-in: a service account's assertion is validated by its claims") {
  const auto cloud = cloud_of(people);
  const auto described = [&](const std::string& form) {
    const boost::json::value answer = json_of(ask_oauth(*cloud, form));
    return std::string(answer.at("error_description").as_string());
  };
  CHECK(status_with(*cloud, token_in(ask_oauth(*cloud, assertion(start)))) == 200);
  CHECK(described(assertion(start - 7200)).starts_with("Invalid JWT: Token must be a short-lived token"));
  CHECK(described(assertion(start + 7200)).starts_with("Invalid JWT: Token must be a short-lived token"));
  CHECK(described(assertion(start, R"("aud":"https://elsewhere/","scope":"x")")).starts_with("Invalid JWT: Failed audience check"));
  CHECK(described(assertion(start, R"("aud":"https://oauth2.googleapis.com/token")")) == "Empty or missing scope not allowed.");
  CHECK(described("grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=a.b.c").starts_with("Invalid JWT"));
  const auto another = cloud_of(R"({"sign_in": {"service_accounts": []}})");
  CHECK(ask_oauth(*another, assertion(start)).body.find("account not found") != std::string::npos);
  CHECK(ask_oauth(*cloud_of("{}"), assertion(start)).status == 200);
}

TEST_CASE("sign-in: a token signed by a known service account is accepted while it is valid") {
  const auto cloud = cloud_of(people);
  const std::string token = jwt(start, R"("scope":"x")");
  CHECK(status_with(*cloud, token) == 200);
  CHECK(status_with(*cloud, token, 4000) == 401);
  CHECK(status_with(*cloud, jwt(9'000'000'000'000'000'000, "\"a\":1")) == 401);
  CHECK(status_with(*cloud_of(R"({"api": {"tokens": []}, "sign_in": {"service_accounts": []}, "nodes": [{"name": "n"}]})"), token) == 401);
}

TEST_CASE("sign-in: the security token service exchanges tokens of a known provider") {
  const auto cloud = cloud_of(people);
  const auto exchanged = [&](const std::string& form) { return ask_oauth(*cloud, form, 0, "/v1/token", "sts.googleapis.com"); };
  const Reply reply = exchanged(exchange_for_ci + "good");
  CHECK(json_of(reply).at("issued_token_type") == "urn:ietf:params:oauth:token-type:access_token");
  CHECK(status_with(*cloud, token_in(reply)) == 200);
  CHECK(json_of(exchanged(exchange_for_ci + "bad")).at("error") == "invalid_grant");
  CHECK(json_of(exchanged(exchange_for_ci)).at("error_description") == "Missing required parameter: subject_token");
  CHECK(json_of(exchanged(exchange_for_ci + "good&audience=x")).at("access_token").is_string());  // the first one counts
  std::string elsewhere = exchange_for_ci + "good";
  elsewhere.replace(elsewhere.find("of-ci"), 5, "other");
  CHECK(json_of(exchanged(elsewhere)).at("error") == "invalid_target");
  CHECK(exchanged(refresh_of_ada).status == 400);
  CHECK(ask_oauth(*cloud_of("{}"), elsewhere, 0, "/v1/token", "sts.googleapis.com").status == 200);
}

TEST_CASE("sign-in: faults apply to it, in its own form") {
  const auto cloud = cloud_of(R"({"nodes": [{"name": "n"}], "faults": [
    {"match": {"route": "oauth.token"}, "status": 503, "times": 1},
    {"match": {"route": "oauth.token"}, "status": 400, "reason": "invalid_grant", "message": "reauth related error", "times": 1},
    {"match": {"route": "nodes.get"}, "fault": "expired_token", "times": 1}, {"match": {"route": "imds.*"}, "status": 500}]})");
  const std::string form = "grant_type=refresh_token&refresh_token=any";
  CHECK(json_of(ask_oauth(*cloud, form)).at("error") == "temporarily_unavailable");
  CHECK(text_of(json_of(ask_oauth(*cloud, form))) == R"({"error":"invalid_grant","error_description":"reauth related error"})");
  const std::string token = token_in(ask_oauth(*cloud, form));
  CHECK(status_with(*cloud, token) == 401);
  CHECK(status_with(*cloud, token) == 401);
  CHECK(status_with(*cloud, token_in(ask_oauth(*cloud, form))) == 200);
  CHECK(ask_metadata(*cloud, "/latest/meta-data/placement/availability-zone").status == 500);
}

TEST_CASE("sign-in: mistakes in the file are named") {
  const auto problem = [](const std::string& section) {
    const auto cloud = Cloud::parse("{\"sign_in\": " + section + "}", "cloud.json");
    REQUIRE_FALSE(cloud);
    return cloud.error().what();
  };
  CHECK(problem(R"({"users": [{"name": "a"}]})").ends_with("sign_in.users[0]: refresh_token is missing"));
  CHECK(problem(R"({"service_accounts": [{"email": "a"}, {"email": "a"}]})")
            .ends_with("sign_in.service_accounts[1]: email: another one has the same"));
  CHECK(problem(R"({"providers": [{"name": "a"}]})").ends_with("audience is missing"));
  CHECK(problem(R"({"users": [{"refresh_token": "a b"}]})").ends_with("refresh_token: expected a text without blanks"));
  CHECK(problem(R"({"aws": {"role": "a/b"}})").find("sign_in.aws.role") != std::string::npos);
}

}  // namespace rollcall::sim
