// Identities of requests: valid and forged tokens, certificates, and requests without a proof.
#include <catch2/catch.hpp>

#include "fleet/rights/access_rig.hpp"

using namespace rollcall;
using namespace rollcall::fleet;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

std::shared_ptr<const ClientCertificate> certificate_of(std::vector<std::string> names, WallTime expires) {
  auto certificate = std::make_shared<ClientCertificate>();
  certificate->names = std::move(names);
  certificate->expires = expires;
  return certificate;
}

FleetClients certificate_clients() { return FleetClients(); }

}  // namespace

TEST_CASE("without clients everybody is the same") {
  AccessRig rig{FleetServiceOptions()};
  const Result<Identity> who = rig.identify(rig.showing("Bearer nonsense"));
  REQUIRE(who.has_value());
  CHECK(who->text.empty());
  CHECK(rig.access->may_read(*who, Target::parse("dns:a.example").value()));
  CHECK(rig.access->may_read_metrics(*who));
  CHECK(rig.access->is_allowed(Target::parse("dns:a.example").value()));
}

TEST_CASE("a token is no guess where the keys at hand have signed it, for this service and in its time", "[fleet]") {
  for (const bool reviews : {false, true}) {
    AccessRig rig(service_for({google_clients(), kubernetes_clients(reviews)}));
    const TokenKey key = TokenKey::p256();
    const TokenKey forger = TokenKey::p256();
    rig.keys = key.shown("k");
    const auto is_signed = [&rig](const std::string& token) { return rig.access->is_signed(rig.showing("Bearer " + token)); };
    for (const std::string& claims : {rig.google_claims(), rig.account_claims()}) {
      const std::string token = key.token("k", claims);
      CHECK_FALSE(is_signed(token));  // no keys are cached yet, and none are fetched
      rig.who(token);
      const std::size_t asked = rig.transport->requests.size();
      CHECK(is_signed(token));
      CHECK_FALSE(is_signed(forger.token("k", claims)));
      CHECK_FALSE(is_signed(key.token("other", claims)));
      CHECK_FALSE(is_signed(token + "x"));
      CHECK(rig.transport->requests.size() == asked);
    }
    CHECK_FALSE(is_signed(key.token("k", rig.account_claims("https://another"))));
    CHECK_FALSE(is_signed(""));
    CHECK_FALSE(rig.access->is_signed(rig.showing("")));
    const std::string old = key.token("k", rig.account_claims());
    rig.pass(2h);
    CHECK_FALSE(is_signed(old));
  }
}

TEST_CASE("Google's tokens: RS256 and ES256, by the key that they name") {
  AccessRig rig(service_for({google_clients()}));
  const TokenKey rsa = TokenKey::rsa();
  const TokenKey curve = TokenKey::p256();
  const TokenKey forger = TokenKey::rsa();
  rig.keys = rsa.shown("r") + "," + curve.shown("c") + "," + TokenKey::rsa(1024).shown("weak");
  const std::string claims = rig.google_claims();
  CHECK(rig.who(rsa.token("r", claims)) == "google:p/a@p.iam.gserviceaccount.com");
  CHECK(rig.who(curve.token("c", claims)) == "google:p/a@p.iam.gserviceaccount.com");
  CHECK(rig.asked("/oauth2/v3/certs") == 1);
  const Result<Identity> who = rig.identify(rig.showing(rsa.token("r", claims)));  // as Prometheus sends it
  REQUIRE(who.has_value());
  CHECK(who->expires == WallTime(std::chrono::seconds(rig.now() + 3600)));

  CHECK(rig.who(forger.token("r", claims)) == "unauthenticated: the token has a wrong signature");
  CHECK(rig.who(rsa.token("c", claims)) == "unauthenticated: the token names another algorithm (alg) than its key is for");
  CHECK(rig.who(curve.token_with(R"({"alg":"ES256","kid":"r"})", claims)) ==
        "unauthenticated: the token names another algorithm (alg) than its key is for");
  CHECK(rig.who(rsa.token("weak", claims)) ==
        "unauthenticated: the token is signed with a key that has 1024 bits: fewer than 2048 are refused");
  CHECK(rig.who(rsa.token_with(R"({"alg":"RS256"})", claims)) ==
        "unauthenticated: the token names no key (kid), and its issuer has several");
  CHECK(rig.who(forger.token("other", claims)) == "unauthenticated: the token is signed with a key (kid) that its issuer does not have");
  std::string changed = rsa.token("r", claims);
  changed.replace(changed.find('.'), changed.rfind('.') - changed.find('.'), "." + base64url_encode(rig.google_claims(R"(,"x":1)")));
  CHECK(rig.who(changed) == "unauthenticated: the token has a wrong signature");
  CHECK(rig.who(rsa.token("r", R"({"iss":"https://accounts.google.com.evil.example"})")) ==
        "unauthenticated: the token is of an issuer (iss) that the service does not know");
  CHECK(rig.who(rsa.token("r", R"({"iss":"https://accounts.google.com","aud":"other"})")) ==
        "unauthenticated: the token is for another audience (aud)");
  CHECK(rig.who("nonsense") == "unauthenticated: the token is no JSON Web Token: it has not three parts");
}

TEST_CASE("a token that was found good ends all the same, a minute after its time") {
  AccessRig rig(service_for({google_clients()}));
  const TokenKey rsa = TokenKey::rsa();
  rig.keys = rsa.shown("r");
  const std::string token = rsa.token("r", rig.google_claims());
  CHECK(rig.who(token).starts_with("google:"));
  rig.pass(3630s);
  CHECK(rig.who(token).starts_with("google:"));
  rig.pass(30s);
  CHECK(rig.who(token) == "unauthenticated: the token has expired (exp)");
}

TEST_CASE("a certificate, or a token that was verified before, is recognized without another check") {
  AccessRig rig(service_for({google_clients(), certificate_clients()}));
  const TokenKey rsa = TokenKey::rsa();
  rig.keys = rsa.shown("r");
  const ServerRequest asks = rig.showing("Bearer " + rsa.token("r", rig.google_claims()));
  CHECK_FALSE(rig.access->recognize(asks));
  CHECK(rig.identify(asks).value().text == "google:p/a@p.iam.gserviceaccount.com");
  REQUIRE(rig.access->recognize(asks));
  CHECK(rig.access->recognize(asks)->text == "google:p/a@p.iam.gserviceaccount.com");
  rig.pass(61s);
  CHECK_FALSE(rig.access->recognize(asks));
  ServerRequest certified;
  CHECK_FALSE(rig.access->recognize(certified));
  certified.certificate = certificate_of({"sre"}, rig.time->wall_now() + 1h);
  CHECK(rig.access->recognize(certified)->text == "certificate:sre");
  certified.headers.add("Authorization", "Bearer nonsense");
  CHECK_FALSE(rig.access->recognize(certified));
}

TEST_CASE("a malformed token is refused, without regard to a certificate") {
  AccessRig rig(service_for({google_clients(), certificate_clients()}));
  const auto refusal = [&rig](ServerRequest request) {
    const Result<Identity> found = rig.identify(request);
    return found ? found->text : found.error().what();
  };
  CHECK(refusal(rig.showing("")) == "the request shows neither a token (Authorization: Bearer TOKEN) nor a certificate");
  CHECK(refusal(rig.showing("Basic YTpi")) == "the Authorization field has another scheme than Bearer");
  CHECK(refusal(rig.showing("Bearer ")) == "the Authorization field holds no token");
  CHECK(refusal(rig.showing("Bearer a\x01z")) == "the Authorization field holds no token");
  ServerRequest twice = rig.showing("Bearer a");
  twice.headers.add("authorization", "Bearer b");
  CHECK(refusal(twice) == "the request has several Authorization fields");
  ServerRequest both = rig.showing("Bearer a.b.c");
  both.certificate = certificate_of({"sre"}, rig.time->wall_now() + 1h);
  CHECK(refusal(both).starts_with("the token is no JSON Web Token"));
}

TEST_CASE("a certificate is the first of its names that a right mentions, else the first") {
  FleetServiceOptions options = service_for({certificate_clients()});
  FleetRight right;
  right.who = "certificate:sre.*";
  right.read = {"*"};
  options.rights = {right};
  AccessRig rig(options);
  ServerRequest request;
  const auto who = [&](std::vector<std::string> names, Duration left = 1h) {
    request.certificate = certificate_of(std::move(names), rig.time->wall_now() + left);
    const Result<Identity> found = rig.identify(request);
    return found ? found->text : found.error().what();
  };
  CHECK(who({"a.example", "sre.example"}) == "certificate:sre.example");
  CHECK(who({"a.example", "b.example"}) == "certificate:a.example");
  CHECK(who({"a b", "line\nend", "b.example"}) == "certificate:b.example");
  CHECK(who({}) == "the client's certificate has no name of its own (subjectAltName)");
  CHECK(who({"sre.example"}, -30s) == "certificate:sre.example");
  CHECK(who({"sre.example"}, -60s) == "the client's certificate has expired");
  request.certificate = nullptr;
  CHECK(rig.identify(request).error().what() == "the client shows no certificate");
  CHECK(rig.who("a.b.c") == "unauthenticated: the service takes no tokens, but certificates");
}

TEST_CASE("what a change of the settings keeps, and what it does not") {
  AccessRig rig(service_for({google_clients()}));
  const TokenKey rsa = TokenKey::rsa();
  rig.keys = rsa.shown("r");
  const std::string token = rsa.token("r", rig.google_claims());
  const Identity who = rig.identify(rig.showing("Bearer " + token)).value();
  const Target target = Target::parse("tpu:a,project=p").value();
  CHECK_FALSE(rig.access->may_read(who, target));
  const std::uint64_t before = rig.access->version();
  FleetServiceOptions options = service_for({google_clients()});
  FleetRight right;
  right.who = "google:p/*";
  right.read = {"tpu:*,project=p"};
  options.rights = {right};
  REQUIRE(rig.access->change(options).has_value());
  CHECK(rig.access->version() > before);
  CHECK(rig.access->may_read(who, target));
  CHECK_FALSE(rig.access->is_allowed(target));
  CHECK(rig.who(token).starts_with("google:"));
  CHECK(rig.asked("/oauth2/v3/certs") == 1);
  options.clients[0].audience = "another";
  REQUIRE(rig.access->change(options).has_value());
  CHECK(rig.who(token) == "unauthenticated: the token is for another audience (aud)");
  options.rights[0].read = {"tpu:*,proyect=p"};
  const Result<void> refused = rig.access->change(options);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().what().starts_with("rights[0].read[0]: 'tpu:*,proyect=p' is no pattern of targets"));
  CHECK(rig.access->may_read(who, target));
}
