// Many requests that want a token at the same time: how often the token service is asked, in virtual time.
#include <catch2/catch.hpp>

#include "auth/signed_in.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

// A token service whose tokens are numbered and good for an hour, and an API that takes all tokens but one.
class Services {
 public:
  int refreshes = 0;
  int refused = 0;
  bool is_token_service_down = false;
  std::string bad_token;

  ScriptedTransport::Answer operator()(const HttpRequest& request) {
    if (request.url.host != "oauth2.googleapis.com") {
      const bool is_bad = request.bearer.reveal() == bad_token;
      refused += is_bad;
      return ScriptedTransport::Answer(ScriptedTransport::reply(is_bad ? 401 : 200, "{}"));
    }
    ++refreshes;
    const std::string reply = fmt::format(R"({{"access_token":"token-number-{}","expires_in":3600,"token_type":"Bearer"}})", refreshes);
    ScriptedTransport::Answer answer(
        ScriptedTransport::reply(is_token_service_down ? 400 : 200, is_token_service_down ? R"({"error":"invalid_grant"})" : reply));
    answer.after = 1s;
    return answer;
  }
};

class Herd : public SignedIn {
 public:
  Herd() : SignedIn(credential_sample("authorized_user")) {
    t.transport->respond = [this](const HttpRequest& request) { return services(request); };
  }
  Services services;

  /// How many of `count` requests, all at once, are answered.
  int ask(int count) {
    std::vector<VirtualLoop::Started<Result<HttpResponse>>> all;
    for (int i = 0; i < count; ++i) all.push_back(t.start(asked()));
    int answered = 0;
    for (const auto& started : all) {
      REQUIRE(t.finish(started));
      if (started.value()) ++answered;
    }
    return answered;
  }
};

}  // namespace

TEST_CASE("ten thousand requests that wait for a token cause one refresh") {
  Herd herd;
  CHECK(herd.ask(10'000) == 10'000);
  CHECK(herd.services.refreshes == 1);
}

TEST_CASE("a token that is stale serves a thousand requests while one refresh is under way") {
  Herd herd;
  CHECK(herd.ask(1) == 1);
  herd.t.time->advance(59min);
  CHECK(herd.ask(1000) == 1000);
  herd.t.time->advance(1s);
  herd.t.poll();
  CHECK(herd.services.refreshes == 2);
  std::size_t old = 0;
  for (const HttpRequest& request : herd.requests()) old += request.bearer.reveal() == "token-number-1";
  CHECK(old == 1001);
  CHECK(herd.ask(1) == 1);
  CHECK(herd.requests().back().bearer.reveal() == "token-number-2");
}

TEST_CASE("a refresh that fails lets the old token serve until its end, and is not tried by every request") {
  Herd herd;
  CHECK(herd.ask(1) == 1);
  herd.services.is_token_service_down = true;
  herd.t.time->advance(59min);
  for (int second = 0; second < 30; ++second) {
    CHECK(herd.ask(100) == 100);
    herd.t.time->advance(1s);
    herd.t.poll();
  }
  CHECK(herd.services.refreshes <= 7);  // after 1, 2, 4, 8 and 16 seconds and what each takes
  herd.t.time->advance(30s);
  CHECK(herd.ask(1) == 0);
}

TEST_CASE("a token that is refused is replaced once, whoever was refused") {
  Herd herd;
  herd.services.bad_token = "token-number-1";
  CHECK(herd.ask(64) == 64);
  CHECK(herd.services.refused == 64);
  CHECK(herd.services.refreshes == 2);
}
