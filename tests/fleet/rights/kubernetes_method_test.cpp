// Tokens of service accounts: verified by the cluster's keys, and by a bounded number of reviews.
#include <catch2/catch.hpp>

#include "fleet/rights/access_rig.hpp"

using namespace rollcall;
using namespace rollcall::fleet;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {
constexpr std::string_view cluster_keys_path = "/openid/v1/jwks";
constexpr std::string_view reviews_path = "/apis/authentication.k8s.io/v1/tokenreviews";
}  // namespace

TEST_CASE("a service account's token by the cluster's own keys") {
  AccessRig rig(service_for({google_clients(), kubernetes_clients()}));
  const TokenKey rsa = TokenKey::rsa();
  rig.keys = rsa.shown("k");
  CHECK(rig.who(rsa.token("k", rig.account_claims())) == "kubernetes:train/default");
  CHECK(rig.who(rsa.token_with(R"({"alg":"RS256"})", rig.account_claims())) == "kubernetes:train/default");  // the only key
  CHECK(rig.asked(cluster_keys_path) == 1);
  CHECK(rig.asked(reviews_path) == 0);
  CHECK(rig.who(rsa.token("k", rig.account_claims("https://other"))) ==
        "unauthenticated: the token is of an issuer (iss) that the service does not know");
  CHECK(rig.who(TokenKey::rsa().token("k", rig.account_claims())) == "unauthenticated: the token has a wrong signature");
}

TEST_CASE("reviews know pods that are gone; each token is asked about once a minute") {
  AccessRig rig(service_for({kubernetes_clients(true)}));
  const TokenKey rsa = TokenKey::rsa();
  rig.keys = rsa.shown("k");
  const std::string token = rsa.token("k", rig.account_claims());
  CHECK(rig.who(token) == "kubernetes:train/default");
  CHECK(rig.who(token) == "kubernetes:train/default");
  CHECK(rig.asked(reviews_path) == 1);
  rig.review = R"({"user":{},"error":"[invalid bearer token, service account token has been invalidated]"})";
  rig.pass(59s);
  CHECK(rig.who(token) == "kubernetes:train/default");
  rig.pass(1s);
  CHECK(rig.who(token) == "unauthenticated: the token is refused by the API server (TokenReview)");
  CHECK(rig.who(token) == "unauthenticated: the token is refused by the API server (TokenReview)");
  CHECK(rig.asked(reviews_path) == 2);
  CHECK(rig.who(TokenKey::rsa().token("k", rig.account_claims())) == "unauthenticated: the token has a wrong signature");
  CHECK(rig.asked(reviews_path) == 2);  // a forged token uses no review
}

TEST_CASE("where the keys cannot be had, reviews alone decide") {
  AccessRig rig(service_for({kubernetes_clients(true)}));
  rig.key_status = 403;
  const TokenKey rsa = TokenKey::rsa();
  CHECK(rig.who(rsa.token("k", rig.account_claims())) == "kubernetes:train/default");
  rig.review_status = 403;
  CHECK(
      rig.who(rsa.token("k", rig.account_claims("https://cluster", R"(,"i":1)"))).starts_with("unavailable: the token cannot be reviewed"));
  rig.review_status = 401;  // the API server refuses the service's credentials
  CHECK(
      rig.who(rsa.token("k", rig.account_claims("https://cluster", R"(,"i":2)"))).starts_with("unavailable: the token cannot be reviewed"));
}

TEST_CASE("a hundred who show one token are one review; a hundred tokens are twenty a second") {
  AccessRig rig(service_for({kubernetes_clients(true)}));
  const TokenKey rsa = TokenKey::rsa();
  rig.keys = rsa.shown("k");
  CHECK(rig.who(rsa.token("k", rig.account_claims())) == "kubernetes:train/default");
  rig.after = 100ms;
  rig.pass(10s);
  const ServerRequest same = rig.showing(rsa.token("k", rig.account_claims("https://cluster", R"(,"same":1)")));
  std::vector<VirtualLoop::Started<Result<Identity>>> asking;
  for (int i = 0; i < 100; ++i) asking.push_back(rig.start(rig.access->identify(same)));
  for (auto& one : asking) {
    rig.finish(one);
    CHECK(one.value().has_value());
  }
  CHECK(rig.asked(reviews_path) == 2);

  rig.pass(10s);
  std::vector<ServerRequest> requests;
  for (int i = 0; i < 100; ++i)
    requests.push_back(rig.showing(rsa.token("k", rig.account_claims("https://cluster", fmt::format(R"(,"i":{})", i)))));
  asking.clear();
  for (const ServerRequest& request : requests) asking.push_back(rig.start(rig.access->identify(request)));
  int good = 0;
  for (auto& one : asking) {
    rig.finish(one);
    if (one.value()) ++good;
    if (!one.value()) CHECK(one.value().error().code() == Errc::unavailable);
  }
  CHECK(good == 20);
  CHECK(rig.asked(reviews_path) == 22);
}

TEST_CASE("a client that leaves during a review leaves nothing behind") {
  AccessRig rig(service_for({kubernetes_clients(true)}));
  const TokenKey rsa = TokenKey::rsa();
  rig.keys = rsa.shown("k");
  rig.after = 1s;
  const ServerRequest request = rig.showing(rsa.token("k", rig.account_claims()));
  auto asking = rig.start(rig.access->identify(request));
  for (int i = 0; i < 5; ++i) rig.pass(500ms);  // both documents were fetched, the review is in progress
  CHECK(rig.asked(reviews_path) == 1);
  asking.cancel();
  rig.poll();
  REQUIRE(asking.done());
  CHECK(asking.value().error().code() == Errc::cancelled);
  CHECK(rig.identify(request).value().text == "kubernetes:train/default");
  CHECK(rig.asked(reviews_path) == 2);
}

TEST_CASE("a token that a stream depends on is reviewed again every minute, and ends when it is refused") {
  AccessRig rig(service_for({kubernetes_clients(true)}));
  const TokenKey rsa = TokenKey::rsa();
  rig.keys = rsa.shown("k");
  const ServerRequest asks = rig.showing(rsa.token("k", rig.account_claims()));
  CHECK_FALSE(rig.access->recognize(asks));
  std::optional<Identity> first = rig.identify(asks).value();
  std::optional<Identity> second = rig.access->recognize(asks);
  REQUIRE((first->proof && second));
  CHECK(second->text == "kubernetes:train/default");
  CHECK(second->expires == first->expires);
  CHECK(second->proof == first->proof);
  first.reset();
  for (int minute = 1; minute <= 5; ++minute) {
    CHECK(rig.asked(reviews_path) == minute);
    rig.pass(60s);
  }
  CHECK(rig.asked(reviews_path) == 6);
  rig.review_status = 500;  // the API server cannot be asked: the former verdict stays
  rig.pass(120s);
  CHECK_FALSE(second->proof->is_over);
  rig.review_status = 201;
  rig.review = R"({"user":{},"error":"[invalid bearer token]"})";
  rig.pass(60s);
  CHECK(second->proof->is_over);
  const int asked = rig.asked(reviews_path);
  rig.pass(5min);
  CHECK(rig.asked(reviews_path) == asked);
}

TEST_CASE("a token without a stream is not reviewed again, and repeated reviews leave room for new tokens") {
  AccessRig rig(service_for({kubernetes_clients(true)}));
  const TokenKey rsa = TokenKey::rsa();
  rig.keys = rsa.shown("k");
  std::vector<Identity> held;
  const auto token = [&](int i) {
    return rig.showing(rsa.token("k", rig.account_claims("https://cluster", fmt::format(R"(,"i":{})", i))));
  };
  for (int i = 0; i < 40; ++i) {
    if (i == 20) rig.pass(1s);
    held.push_back(rig.identify(token(i)).value());
  }
  CHECK(rig.asked(reviews_path) == 40);
  rig.pass(59s);
  for (int i = 40; i < 50; ++i) CHECK(rig.identify(token(i)));  // at once
  rig.pass(10s);
  CHECK(rig.asked(reviews_path) == 40 + 10 + 40);
  held.clear();
  rig.pass(5min);
  CHECK(rig.asked(reviews_path) == 90);
}

TEST_CASE("forged tokens with made-up keys take no review from those that are new") {
  AccessRig rig(service_for({kubernetes_clients(true)}));
  const TokenKey rsa = TokenKey::rsa();
  const TokenKey other = TokenKey::rsa();
  rig.keys = rsa.shown("k");
  CHECK(rig.who(rsa.token("k", rig.account_claims())) == "kubernetes:train/default");
  rig.pass(10s);
  for (int second = 0; second < 50; ++second) {
    for (int i = 0; i < 4; ++i) {
      const std::string sent = rig.who(other.token(fmt::format("made-up-{}-{}", second, i), rig.account_claims()));
      CHECK(sent == "unauthenticated: the token is signed with a key (kid) that its issuer does not have");
    }
    CHECK(rig.who(rsa.token("k", rig.account_claims("https://cluster", fmt::format(R"(,"i":{})", second)))) == "kubernetes:train/default");
    CHECK(rig.asked(reviews_path) == 2 + second);
    rig.pass(1s);
  }
  CHECK(rig.asked(cluster_keys_path) <= 3);  // at most every 30 s
}

TEST_CASE("a key that the cluster has since is looked for every 30 s at most, with reviews and without") {
  const bool reviews = GENERATE(false, true);
  AccessRig rig(service_for({kubernetes_clients(reviews)}));
  const TokenKey old_key = TokenKey::rsa();
  const TokenKey new_key = TokenKey::rsa();
  rig.keys = old_key.shown("old");
  CHECK(rig.who(old_key.token("old", rig.account_claims())) == "kubernetes:train/default");
  rig.keys = old_key.shown("old") + "," + new_key.shown("new");
  rig.pass(31s);
  CHECK(rig.who(new_key.token("new", rig.account_claims())) == "kubernetes:train/default");
}

TEST_CASE("where the keys cannot be had any more, half of the reviews are for tokens whose signature was checked") {
  AccessRig rig(service_for({kubernetes_clients(true)}));
  const TokenKey rsa = TokenKey::rsa();
  const TokenKey other = TokenKey::rsa();
  rig.keys = rsa.shown("k");
  CHECK(rig.who(rsa.token("k", rig.account_claims())) == "kubernetes:train/default");
  rig.key_status = 403;
  rig.pass(31s);
  rig.review = R"({"user":{},"error":"[invalid bearer token]"})";
  int unchecked = 0;
  for (int i = 0; i < 100; ++i) {
    const std::string sent = rig.who(other.token(fmt::format("made-up-{}", i), rig.account_claims()));
    unchecked += sent == "unauthenticated: the token is refused by the API server (TokenReview)" ? 1 : 0;
  }
  CHECK(unchecked == 10);
  rig.review = R"({"authenticated":true,"audiences":["rollcall"],"user":{"username":"system:serviceaccount:train:default"}})";
  for (int i = 0; i < 10; ++i)
    CHECK(rig.who(rsa.token("k", rig.account_claims("https://cluster", fmt::format(R"(,"i":{})", i)))) == "kubernetes:train/default");
}

TEST_CASE("one account that shows new tokens all the time takes no review from another") {
  AccessRig rig(service_for({kubernetes_clients(true)}));
  const TokenKey rsa = TokenKey::rsa();
  rig.keys = rsa.shown("k");
  const auto claims_of = [&rig](std::string_view account, int i) {
    return fmt::format(R"({{"iss":"https://cluster","aud":["rollcall"],"iat":{},"exp":{},"sub":"system:serviceaccount:train:{}","i":{}}})",
                       rig.now(), rig.now() + 3600, account, i);
  };
  CHECK(rig.who(rsa.token("k", claims_of("many", -1))) == "kubernetes:train/default");
  rig.pass(10s);
  int number = 0;
  for (int second = 0; second < 5; ++second) {
    const int before = rig.asked(reviews_path);
    for (int i = 0; i < 50; ++i) static_cast<void>(rig.who(rsa.token("k", claims_of("many", ++number))));
    for (int i = 0; i < 5; ++i) CHECK(rig.who(rsa.token("k", claims_of("few", ++number))) == "kubernetes:train/default");
    CHECK(rig.asked(reviews_path) - before <= (second == 0 ? 25 : 20));
    rig.pass(1s);
  }
}
