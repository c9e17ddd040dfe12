// Many requests that need a token at the same time: the number of requests to the token service, in virtual time.
#include <catch2/catch.hpp>

#include "auth/signed_in.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

// A token service whose tokens are numbered and valid for an hour, and an API that accepts all tokens but one.
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

TEST_CASE("after a failed refresh the old token is used until its end, and not every request tries again") {
  Herd herd;
  CHECK(herd.ask(1) == 1);
  herd.services.is_token_service_down = true;
  herd.t.time->advance(59min);
  for (int second = 0; second < 30; ++second) {
    CHECK(herd.ask(100) == 100);
    herd.t.time->advance(1s);
    herd.t.poll();
  }
  CHECK(herd.services.refreshes <= 7);  // after 1, 2, 4, 8 and 16 seconds plus the time of each
  herd.t.time->advance(30s);
  CHECK(herd.ask(1) == 0);
}

TEST_CASE("a caller with time gets the token that one with little time requested, for every kind of credentials") {
  const std::string kind = GENERATE("authorized_user", "service_account", "metadata");
  const bool is_short_first = GENERATE(true, false);
  CAPTURE(kind, is_short_first);
  const bool is_metadata = kind == "metadata";
  const std::string file = kind == "service_account" ? service_account_sample() : credential_sample("authorized_user");
  const auto credentials = is_metadata ? metadata_token() : credential_file(credentials_path);
  TestRuntime t({}, {}, credentials, {{credentials_path, file}});
  int refreshes = 0;
  t.transport->respond = [&refreshes](const HttpRequest& request) {
    const bool is_api = request.url.host == "tpu.googleapis.com";
    if (is_api) {
      const bool is_signed_here = request.bearer.reveal().starts_with("ey");  // a service account's own token
      return ScriptedTransport::Answer(ScriptedTransport::reply(is_signed_here ? 401 : 200, "{}"));
    }
    ++refreshes;
    HttpResponse reply = ScriptedTransport::reply(200, good_token);
    reply.headers.add("Metadata-Flavor", "Google");
    ScriptedTransport::Answer answer(std::move(reply));
    answer.after = 2s;
    return answer;
  };
  const auto ask = [&t](Duration timeout) {
    auto script = [](Call& call) -> asio::awaitable<Result<HttpResponse>> {
      HttpRequest request(*Url::parse("https://tpu.googleapis.com/v2/x"));
      Result<HttpResponse> answer = co_await call.fetch(std::move(request), true);
      co_return answer;
    };
    return t.start(run_call<HttpResponse>(shared_impl_of(t.runtime), CallOptions().timeout(timeout), "test", script));
  };
  const auto first = ask(is_short_first ? 1s : 20s);
  t.time->advance(50ms);
  t.poll();
  const auto second = ask(is_short_first ? 20s : 1s);
  const auto& patient = is_short_first ? second : first;
  const auto& hasty = is_short_first ? first : second;
  REQUIRE(t.finish(patient));
  CHECK(hasty.done());
  CHECK(hasty.value().has_error());
  CHECK(patient.value().has_value());
  CHECK(t.seconds() == Approx(2).margin(0.1));
  CHECK(refreshes == 1);
}

TEST_CASE("the error has the token service's message about a token that the API has refused") {
  SignedIn t(service_account_sample());
  t.t.transport->respond = [](const HttpRequest& request) {
    const bool is_api = request.url.host == "tpu.googleapis.com";
    return ScriptedTransport::Answer(ScriptedTransport::reply(
        is_api ? 401 : 400,
        is_api ? "{}" : R"({"error":"invalid_grant","error_description":"Invalid JWT: check your iat and exp values."})"));
  };
  for (int i = 0; i < 2; ++i) {
    const Result<HttpResponse> answer = t.fetch();
    check_failure(answer, Errc::unauthenticated, "the token was refused (HTTP 401), and there is no other",
                  "Invalid JWT: check your iat and exp");
    CHECK(t.requests().size() == 2 * (static_cast<std::size_t>(i) + 1));
  }
}

TEST_CASE("a token is renewed where no retries are wanted, and is not counted as one") {
  Herd herd;
  herd.services.bad_token = "token-number-1";
  const auto asked = [&herd](int retries) {
    auto script = [](Call& call) -> asio::awaitable<Result<HttpResponse>> {
      HttpRequest request(*Url::parse("https://tpu.googleapis.com/v2/x"));
      Result<HttpResponse> answer = co_await call.fetch(std::move(request), true);
      co_return answer;
    };
    return herd.t.run(
        run_call<HttpResponse>(shared_impl_of(herd.t.runtime), CallOptions().retry(RetryPolicy().max_retries(retries)), "test", script));
  };
  CHECK(asked(0).has_value());
  CHECK(herd.services.refreshes == 2);
  // One retry is left after a renewal.
  herd.services.bad_token = "token-number-2";
  bool has_failed = false;
  const auto respond = herd.t.transport->respond;
  herd.t.transport->respond = [&has_failed, respond](const HttpRequest& request) {
    if (request.bearer.reveal() == "token-number-3" && !std::exchange(has_failed, true)) {
      return ScriptedTransport::Answer(ScriptedTransport::reply(503));
    }
    return respond(request);
  };
  CHECK(asked(1).has_value());
  CHECK(has_failed);
}

TEST_CASE("a rejected token is replaced once, for all rejected requests") {
  Herd herd;
  herd.services.bad_token = "token-number-1";
  CHECK(herd.ask(64) == 64);
  CHECK(herd.services.refused == 64);
  CHECK(herd.services.refreshes == 2);
}
