// How a kubeconfig's user signs in, as client-go chooses: an auth-provider's id-token, two sources of one thing, a key alone.
#include "base/base64.hpp"
#include "base/timestamp.hpp"
#include "resolvers/kubernetes/kubernetes_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

using SignInFiles = std::map<std::string, std::string, std::less<>>;

std::string config_of_user(const std::string& user, const std::string& cluster = "") {
  return "current-context: c\nclusters: [{name: k, cluster: {server: 'https://k.test:6443'" + cluster + "}}]\nusers: [{name: u, user: {" +
         user + "}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n";
}

class SignInWorld : public TestRuntime {
 public:
  explicit SignInWorld(const std::string& user, const std::string& cluster = "", SignInFiles files = {})
      : TestRuntime({{"KUBECONFIG", "/k/config"}}, {}, static_token(Secret<std::string>("runtime-token")),
                    with(std::move(files), config_of_user(user, cluster))) {
    answer(200, list_json(""));
  }
  std::string ask() { return workers_of(*this, KubernetesOptions()); }
  const HttpRequest& asked() { return transport->requests.at(0); }

 private:
  static SignInFiles with(SignInFiles files, std::string config) {
    files["/k/config"] = std::move(config);
    return files;
  }
};

std::string base64url(const std::string& text) {
  std::string encoded = base64_encode(text);
  while (encoded.ends_with('=')) encoded.pop_back();
  for (char& c : encoded) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return encoded;
}

std::string id_token(const std::string& claims) { return base64url(R"({"alg":"RS256"})") + "." + base64url(claims) + ".aHVzaA"; }

std::string id_token_until(WallTime end) {
  return id_token(fmt::format(R"({{"exp":{}}})", std::chrono::duration_cast<std::chrono::seconds>(end.time_since_epoch()).count()));
}

std::string oidc(const std::string& config) { return "auth-provider: {name: oidc, config: {client-id: kubernetes, " + config + "}}"; }

std::string refused_sign_in(const std::string& user, const std::string& cluster = "", SignInFiles files = {}) {
  SignInWorld world(user, cluster, std::move(files));
  std::string reported = world.ask();
  CHECK(world.transport->requests.empty());
  CHECK_THAT(reported, !Contains("hush") && !Contains("aHVzaA"));
  return reported;
}

}  // namespace

TEST_CASE("the id-token of the auth-provider oidc is sent until shortly before its end") {
  const WallTime now = TestRuntime().time->wall_now();
  const std::string good = id_token_until(now + 60s);
  for (const std::string& written : {good, "\" " + good + "\\n\""}) {
    SignInWorld world(oidc("idp-issuer-url: 'https://login.example', id-token: " + written));
    CHECK(world.ask().empty());
    CHECK(world.asked().bearer.reveal() == good);
    world.time->advance(49s);
    CHECK(world.ask().empty());
    world.time->advance(2s);
    CHECK_THAT(world.ask(), Contains("unauthenticated: the id-token of user 'u' (/k/config, line 3) ends on " + format_rfc3339(now + 60s)));
    CHECK(world.transport->requests.size() == 2);
  }
  const std::string ended = id_token_until(now - 2h);
  const std::string late = refused_sign_in(oidc("idp-issuer-url: 'https://login.example', refresh-token: hush, id-token: " + ended));
  CHECK_THAT(late, Contains("unauthenticated: the id-token of user 'u' (/k/config, line 3) ended on " + format_rfc3339(now - 2h) +
                            " (2 h ago): any kubectl command refreshes it in the file"));
  CHECK_THAT(late, Contains("kubectl oidc-login setup --oidc-issuer-url=https://login.example --oidc-client-id=kubernetes (kubelogin)"));
  CHECK_THAT(refused_sign_in(oidc("id-token: " + ended)), Contains("2 h ago): log in as the provider wants it"));
}

TEST_CASE("an id-token that does not say until when it is good is not sent") {
  for (const std::string& token : {std::string("opaque-hush"), std::string("a.b.aHVzaA"), id_token("{}"), id_token(R"({"exp":"soon"})"),
                                   id_token("[1]"), std::string("two hush")}) {
    CAPTURE(token);
    CHECK_THAT(refused_sign_in(oidc("id-token: '" + token + "'")), Contains("is no JSON Web Token with an end (exp)"));
  }
  CHECK_THAT(refused_sign_in(oidc("refresh-token: hush")), Contains("the id-token of user 'u' (/k/config, line 3) is missing"));
  CHECK_THAT(refused_sign_in("auth-provider: {name: oidc}"), Contains("is missing") && Contains("--oidc-issuer-url=URL"));
  CHECK_THAT(refused_sign_in("auth-provider: {config: {}}"), Contains("auth-provider has no name (line 3)"));
  CHECK_THAT(refused_sign_in("auth-provider: {name: gcp, config: {access-token: hush, expiry: '2999-01-01T00:00:00Z'}}"),
             Contains("unimplemented: ") && Contains("gke-gcloud-auth-plugin"));
}

TEST_CASE("an auth-provider beside another way of signing in") {
  SignInWorld token("token: own, " + oidc("id-token: hush"));
  CHECK(token.ask().empty());
  CHECK(token.asked().bearer.reveal() == "own");
  SignInWorld login("username: a, password: b, " + oidc("id-token: hush"));
  CHECK(login.ask().empty());
  CHECK(login.asked().headers.get("Authorization") == "Basic " + base64_encode("a:b"));
  const std::string good = id_token_until(TestRuntime().time->wall_now() + 1h);
  SignInWorld certificate("client-certificate-data: Q0VSVA==, client-key-data: S0VZ, " + oidc("id-token: " + good));
  CHECK(certificate.ask().empty());
  CHECK(certificate.asked().bearer.reveal() == good);
  CHECK(certificate.asked().access->certificate == "CERT");
  CHECK_THAT(refused_sign_in("exec: {command: x}, " + oidc("id-token: hush")),
             Contains("invalid_argument: the user 'u' (/k/config, line 3) has an auth-provider, and an exec plugin"));
}

TEST_CASE("a token serves while its token file cannot be read, as for kubectl") {
  const auto sent = [](const std::string& user, SignInFiles files) {
    SignInWorld world(user, "", std::move(files));
    const std::string reported = world.ask();
    return reported.empty() ? std::string(world.asked().bearer.reveal()) : reported;
  };
  const std::string both = "token: of-the-entry, tokenFile: t";
  CHECK(sent(both, {{"/k/t", "of-the-file\n"}}) == "of-the-file");
  CHECK(sent(both, {}) == "of-the-entry");
  CHECK(sent(both, {{"/k/t", " \n"}}) == "of-the-entry");
  CHECK(sent("token: 'no token', tokenFile: t", {{"/k/t", "of-the-file"}}) == "of-the-file");
  CHECK_THAT(sent("token: 'no token', tokenFile: t", {}), Contains("unauthenticated") && Contains("/k/t"));
}

TEST_CASE("one thing from two sources is refused, as by kubectl") {
  const std::string of_user = "invalid_argument: the user 'u' (/k/config, line 3) has a ";
  CHECK_THAT(refused_sign_in("client-certificate-data: aHVzaA==, client-certificate: c, client-key: k"),
             Contains(of_user + "client-certificate, and client-certificate-data: leave one of the two out"));
  CHECK_THAT(refused_sign_in("client-certificate: c, client-key: k, client-key-data: aHVzaA=="),
             Contains(of_user + "client-key, and client-key-data"));
  CHECK_THAT(refused_sign_in("token: t", ", certificate-authority: ca, certificate-authority-data: Q0E=", {{"/k/ca", "CA"}}),
             Contains("invalid_argument: the cluster 'k' (/k/config, line 2) has a certificate-authority, and certificate-authority-data"));
  CHECK_THAT(refused_sign_in("token: t, password: hush"), Contains(of_user + "token, and a password"));
}

TEST_CASE("a client-key alone is not looked at beside a token") {
  SignInWorld world("token: t, client-key: nowhere");
  CHECK(world.ask().empty());
  CHECK(world.asked().access->key.empty());
  CHECK_THAT(refused_sign_in("client-key: nowhere"), Contains("a client-key but no client-certificate"));
}
