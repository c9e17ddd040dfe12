// Fetches of an issuer's keys: one for all callers, another for an unknown key, and none while the issuer is down.
#include <catch2/catch.hpp>

#include "fleet/rights/access_rig.hpp"

using namespace rollcall;
using namespace rollcall::fleet;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {
constexpr std::string_view google_certs_path = "/oauth2/v3/certs";
}

TEST_CASE("ten concurrent requests are one fetch, and a client that leaves does not end it") {
  AccessRig rig(service_for({google_clients()}));
  const TokenKey rsa = TokenKey::rsa();
  rig.keys = rsa.shown("r");
  rig.after = 1s;
  std::vector<ServerRequest> requests;
  for (int i = 0; i < 10; ++i) requests.push_back(rig.showing(rsa.token("r", rig.google_claims(fmt::format(R"(,"i":{})", i)))));
  std::vector<VirtualLoop::Started<Result<Identity>>> asking;
  for (const ServerRequest& request : requests) asking.push_back(rig.start(rig.access->identify(request)));
  CHECK_FALSE(asking[0].done());
  asking[0].cancel();
  rig.poll();
  REQUIRE(asking[0].done());
  CHECK(asking[0].value().error().code() == Errc::cancelled);
  for (std::size_t i = 1; i < asking.size(); ++i) {
    rig.finish(asking[i]);
    CHECK(asking[i].value().has_value());
  }
  CHECK(rig.asked(google_certs_path) == 1);
}

TEST_CASE("a key that is not known is looked for every 30 s at most") {
  AccessRig rig(service_for({google_clients()}));
  const TokenKey old_key = TokenKey::rsa();
  const TokenKey new_key = TokenKey::rsa();
  rig.keys = old_key.shown("old");
  CHECK(rig.who(old_key.token("old", rig.google_claims())).starts_with("google:"));
  rig.keys = new_key.shown("new");
  // The issuer may have added it since: the token is not rejected.
  rig.pass(1s);
  CHECK(rig.who(new_key.token("new", rig.google_claims())).starts_with("unavailable: "));
  CHECK(rig.asked(google_certs_path) == 1);
  rig.pass(31s);
  CHECK(rig.who(new_key.token("new", rig.google_claims())).starts_with("google:"));
  CHECK(rig.asked(google_certs_path) == 2);
  CHECK(rig.who(old_key.token("old", rig.google_claims())).find("(kid)") != std::string::npos);  // the key was withdrawn
}

TEST_CASE("keys are an hour old at most, a day where their issuer is down") {
  AccessRig rig(service_for({google_clients()}));
  const TokenKey rsa = TokenKey::rsa();
  rig.keys = rsa.shown("r");
  const auto who = [&] { return rig.who(rsa.token("r", rig.google_claims())); };
  CHECK(who().starts_with("google:"));
  rig.pass(59min);
  CHECK(who().starts_with("google:"));
  CHECK(rig.asked(google_certs_path) == 1);
  rig.pass(1min);
  CHECK(who().starts_with("google:"));
  CHECK(rig.asked(google_certs_path) == 2);
  rig.key_status = 404;
  rig.pass(61min);
  CHECK(who().starts_with("google:"));
  const int asked = rig.asked(google_certs_path);
  CHECK(asked > 2);
  CHECK(who().starts_with("google:"));
  CHECK(rig.asked(google_certs_path) == asked);  // within 30 s
  rig.pass(23h);
  CHECK(who().starts_with("unavailable: the keys of Google's identity tokens cannot be had at present: "));
  rig.key_status = 200;
  rig.pass(31s);
  CHECK(who().starts_with("google:"));
}

TEST_CASE("an issuer that was never reachable is reported as such, not as a wrong token") {
  AccessRig rig(service_for({google_clients()}));
  const TokenKey rsa = TokenKey::rsa();
  rig.key_status = 404;
  CHECK(rig.who(rsa.token("r", rig.google_claims())).starts_with("unavailable: "));
  rig.key_status = 200;
  rig.keys = "7";
  rig.pass(31s);
  CHECK(rig.who(rsa.token("r", rig.google_claims())).find("the key set has an entry that is no object") != std::string::npos);
}
