// The token that was sent, and the forms in which a server repeats it.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "call/api_client.hpp"
#include "call/call_scope.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/kubernetes/access/rules/kubernetes_service.hpp"
#include "resolvers/tpu/rules/tpu_service.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::TestRuntime;

namespace {

// The output of a stream.
class Collected final : public BodySink {
 public:
  std::string text;
  void restart() override { text.clear(); }
  Result<void> take(std::string_view piece) override {
    CHECK_FALSE(piece.empty());
    text += piece;
    return {};
  }
};

asio::awaitable<Result<HttpResponse>> ask_with_token(Call& call, const Service* service, BodySink* sink) {
  HttpRequest http(*Url::parse("https://api.test/x"));
  ApiRequest request(std::move(http));
  request.service = service;
  request.with_token = true;
  asio::awaitable<Result<HttpResponse>> asking = sink ? api_stream(call, request, *sink, 1 << 20) : api_send(call, request);
  Result<HttpResponse> response = co_await std::move(asking);
  co_return response;
}

Result<HttpResponse> answer_of(TestRuntime& t, const Service* service = &tpu_service, BodySink* sink = nullptr) {
  auto script = [service, sink](Call& call) { return ask_with_token(call, service, sink); };
  return t.run(run_call<HttpResponse>(shared_impl_of(t.runtime), CallOptions(), "test", script));
}

std::string streamed(TestRuntime& t, const Service* service) {
  Collected sink;
  REQUIRE(answer_of(t, service, &sink).has_value());
  return sink.text;
}

// The length of Google's tokens.
std::string long_token() {
  std::string token = "ya29.";
  for (int i = 0; i < 18; ++i) token += "A0AfH6SMBxyz";
  return token;
}

}  // namespace

TEST_CASE("a token that a server repeats is hidden") {
  TestRuntime t;
  t.answer(403, R"({"error":{"code":403,"message":"test-token may not do this","status":"PERMISSION_DENIED"}})");
  const std::string message = answer_of(t).error().message();
  CHECK_THAT(message, Catch::Contains("may not do this") && !Catch::Contains("test-token"));
}

TEST_CASE("no part of a token that a server repeats is shown, for every division of the text") {
  const std::string token = GENERATE(long_token(), std::string(5000, 'Q') + "quite-long");
  const std::string body = GENERATE_COPY(
      "invalid bearer token: " + token + "\n", std::string(100, 'x') + " invalid bearer token: " + token,
      "<html><title>bad " + token + "</title>", R"({"error":{"message":"bad )" + token + R"(","status":")" + token + R"("}})",
      R"({"kind":"Status","status":"Failure","message":"bad )" + token + R"(","reason":")" + token + R"("})",
      R"({"error":{"message":"bad \u00)" + fmt::format("{:02x}", token[0]) + token.substr(1) + R"("}})", "cut: " + token.substr(0, 100));
  TestRuntime t({}, {}, static_token(Secret<std::string>(token)));
  t.answer(403, body);
  const std::string message = answer_of(t).error().message();
  INFO(message);
  CHECK_THAT(message, !Catch::Contains(token.substr(0, 8)) && Catch::Contains("***"));
}

TEST_CASE("a failure in transit shows no token") {
  TestRuntime t;
  t.answer(Failure(Errc::malformed_response, "the answer begins with 'test-token'"));
  CHECK_THAT(answer_of(t).error().message(), Catch::Contains("begins with '***'"));
}

TEST_CASE("a token is hidden in an answer that is read piece by piece") {
  const std::string token = "to-to-to-token";
  TestRuntime t({}, {}, static_token(Secret<std::string>(token)));
  const auto [sent, seen] = GENERATE(table<std::string, std::string>({
      {R"({"kind":"to-to-to-token","items":[]})", R"({"kind":"***","items":[]})"},
      {"to-to-to-to-token", "to-***"},
      {"to-to-to-tokento-to-to-token", "******"},
      {"to-to-to-", "to-to-to-"},
      {"nothing of it, and to-to-to-toke", "nothing of it, and ***"},
      {"nothing of it, and o-to-to-toke, and so on", "nothing of it, and ***, and so on"},
      {"TO-TO-TO-TOKEN", "***"},
      {R"(to-to\u002dto-t\u006Fken)", "***"},
      {R"(a\\u0074o-to-to-token)", R"(a\\u0074***)"},
      {R"(to-to-to\u002)", R"(to-to-to\u002)"},
      {R"(to-to-to\)", R"(to-to-to\)"},
      {"", ""},
  }));
  t.answer(200, sent);
  CHECK(streamed(t, &kubernetes_service) == seen);
}

TEST_CASE("a token as short as a word is not hidden, and a longer one must appear whole or in a long part") {
  const auto [token, sent, seen] = GENERATE(table<std::string, std::string, std::string>({
      {"t", "The tpu.googleapis.com cannot be trusted", "The tpu.googleapis.com cannot be trusted"},
      {"test", "nobody-test", "nobody-test"},
      {"secrets", "of secrets", "of secrets"},
      {"launcher", "the launcher", "the ***"},
      {"launcher-token", "User system:serviceaccount:train:launcher", "User system:serviceaccount:train:launcher"},
      {"launcher-token", "token launcher-tokem", "token ***m"},
      {"launcher-token", "token LAUNCHER-TOKEN!", "token ***!"},
  }));
  CAPTURE(token);
  TestRuntime t({}, {}, static_token(Secret<std::string>(token)));
  t.answer(403, R"({"error":{"code":403,"message":")" + sent + R"(","status":"PERMISSION_DENIED"}})");
  t.answer(200, sent);
  CHECK_THAT(answer_of(t).error().what(), Catch::Contains(seen));
  CHECK(answer_of(t)->body == seen);
  CHECK(streamed(t, &kubernetes_service) == seen);
}

TEST_CASE("one table serves all requests with the same token") {
  TestRuntime t;
  t.answer(200, "a test-token");
  const auto table_of = [&] { return shared_impl_of(t.runtime)->token_table; };
  CHECK(table_of() == nullptr);
  CHECK(streamed(t, &kubernetes_service) == "a ***");
  const auto first = table_of();
  CHECK(first != nullptr);
  CHECK(answer_of(t)->body == "a ***");
  CHECK(streamed(t, &kubernetes_service) == "a ***");
  CHECK(table_of() == first);
}

TEST_CASE("the answer to a user's own request is not changed") {
  TestRuntime t;
  t.answer(200, "a test-token");
  CHECK(answer_of(t)->body == "a ***");
  CHECK(streamed(t, &other_service) == "a test-token");
}
