// A server that repeats a secret from the request, in every place that a message quotes and in every spelling; in virtual time.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>

#include "auth/signed_in.hpp"
#include "base/base64.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

std::string percent_encoded(const std::string& text) {
  std::string out;
  for (const char c : text) out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

std::vector<std::string> spellings(const std::string& secret) {
  return {secret,
          percent_encoded(secret),
          base64_encode(secret),
          base64_encode("client:" + secret),
          base64url_encode("xy" + secret),
          percent_encoded(base64_encode("client:" + secret)),
          escape_markup(secret)};
}

// The offset of the secret: the client's name is not secret.
std::size_t begin_of_secret(std::size_t spelling) { return spelling == 5 ? 3 * base64_encode("client:").size() : 0; }

using Answer = Result<HttpResponse>;

Answer answer_with(int status, const std::string& type, const std::string& body) {
  HttpResponse response = ScriptedTransport::reply(status, body);
  response.headers.set("Content-Type", type);
  return response;
}

std::vector<Answer> places(const std::string& reported) {
  const std::string quoted_text = boost::json::serialize(boost::json::string(reported));
  std::vector<Answer> all;
  all.push_back(answer_with(400, "application/json", R"({"error":"invalid_grant","error_description":)" + quoted_text + "}"));
  all.push_back(answer_with(400, "application/json", R"({"error":)" + quoted_text + "}"));
  all.push_back(
      answer_with(403, "application/json", R"({"error":{"code":403,"message":)" + quoted_text + R"(,"status":)" + quoted_text + "}}"));
  all.push_back(answer_with(404, "text/html", "<html><head><title>no " + reported + "</title></head><body>" + reported + "</body></html>"));
  all.push_back(answer_with(400, "text/plain", reported));
  all.push_back(answer_with(200, "application/json", R"({"access_token":"ya29.other","token_type":)" + quoted_text + "}"));
  all.push_back(answer_with(200, "application/json", "{" + quoted_text + ":"));
  all.push_back(answer_with(200, "text/html", reported));
  Answer moved = answer_with(302, "text/plain", "");
  moved->headers.add("Location", "https://elsewhere.test/" + reported);
  all.push_back(std::move(moved));
  Answer challenge = answer_with(403, "text/plain", "");
  challenge->headers.add("WWW-Authenticate", "Basic realm=\"" + reported + "\"");
  all.push_back(std::move(challenge));
  all.push_back(Failure(Errc::malformed_response, "the answer begins with '" + reported + "'"));
  return all;
}

// Authenticates repeatedly with a token service that repeats the text that `secret_in` finds in the request.
template <class SignIn>
void check_repeated(SignIn sign_in, const std::function<std::string(const HttpRequest&)>& secret_in) {
  for (std::size_t spelling = 0; spelling < spellings("x").size(); ++spelling) {
    for (std::size_t place = 0; place < places("x").size(); ++place) {
      SignedIn s = sign_in();
      std::string secret;
      std::string reported;
      s.t.transport->respond = [&](const HttpRequest& request) {
        const std::string found = secret_in(request);
        if (found.empty()) return ScriptedTransport::Answer(answer_with(401, "application/json", "{}"));
        secret = found;
        reported = spellings(secret)[spelling];
        return ScriptedTransport::Answer(places(reported)[place]);
      };
      const Result<HttpResponse> answer = s.fetch();
      REQUIRE(!secret.empty());
      const std::string message = answer ? std::string() : answer.error().message();
      CAPTURE(spelling, place, message);
      CHECK(answer.has_error());
      for (const std::string& text : {secret, reported.substr(begin_of_secret(spelling))}) {
        for (std::size_t at = 0; at + 12 <= text.size(); ++at) CHECK(message.find(text.substr(at, 12)) == std::string::npos);
      }
    }
  }
}

std::string field_of(const HttpRequest& request, const std::string& name) {
  if (request.body.find(name + "=") == std::string::npos) return {};
  return form_of(request)[name];
}

}  // namespace

TEST_CASE("a refresh token and a client's secret that a server repeats are hidden, in any place and form") {
  const std::string file = credential_sample(
      "authorized_user", {{"refresh_token", "1//0g-refresh&token-correct-horse"}, {"client_secret", "GOCSPX-client secret-battery"}});
  for (const char* const name : {"refresh_token", "client_secret"})
    check_repeated([&] { return SignedIn(file); }, [name](const HttpRequest& request) { return field_of(request, name); });
}

TEST_CASE("a subject token, and the secret of the client that exchanges it, are hidden when a server repeats them") {
  const std::string file =
      credential_sample("external_account.file", {{"client_id", "client"}, {"client_secret", "exchange-secret-battery-staple"}});
  const auto sign_in = [&] { return SignedIn(file, {{"/var/run/secrets/tokens/gcp-ksa/token", "subject.jwt.of-some-length\n"}}); };
  check_repeated(sign_in, [](const HttpRequest& request) { return field_of(request, "subject_token"); });
  check_repeated(sign_in, [](const HttpRequest& request) {
    return field_of(request, "subject_token").empty() ? std::string() : std::string("exchange-secret-battery-staple");
  });
}

TEST_CASE("the values of a URL source's headers are hidden when a server repeats them") {
  const std::string secret = "header-secret-of-the-source";
  boost::json::object source = boost::json::parse(credential_sample("external_account.url")).at("credential_source").as_object();
  source["headers"] = boost::json::object{{"X-CertifiedKey-Header", secret}};
  const std::string file = credential_sample("external_account.url", {{"credential_source", source}});
  check_repeated([&] { return SignedIn(file); },
                 [](const HttpRequest& request) { return std::string(request.headers.get("X-CertifiedKey-Header").value_or("")); });
}

TEST_CASE("a service account's signed assertion is hidden when a server repeats it") {
  check_repeated([] { return SignedIn(service_account_sample()); },
                 [](const HttpRequest& request) { return field_of(request, "assertion"); });
}
