// The hint of every failure to authenticate, or for lack of a permission, names doctor.
#include "async/group.hpp"
#include "auth/signed_in.hpp"
#include "call/api_client.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/tpu/rules/tpu_service.hpp"
#include "support/result.hpp"

namespace rollcall::testing {
namespace {

void check_hint(const Failure& failure, const std::string& begin) {
  CAPTURE(failure.message());
  const std::string& hint = failure.hint();
  CHECK_THAT(hint, Catch::StartsWith(begin) && Catch::EndsWith("rollcall doctor TARGET says what is missing"));
  CHECK(hint.find("rollcall doctor") == hint.rfind("rollcall doctor"));
  CHECK(hint.find(".; ") == std::string::npos);
}

TEST_CASE("a service's refusals name rollcall doctor") {
  for (const int status : {401, 403}) {
    TestRuntime t;
    t.answer(status, "{}");
    auto script = [](Call& call) -> asio::awaitable<Result<HttpResponse>> {
      ApiRequest request = cloud_request(tpu_service, *Url::parse("https://tpu.googleapis.com/v2/x"), "TPU 'x'");
      Result<HttpResponse> answer = co_await api_send(call, request);
      co_return answer;
    };
    const Result<HttpResponse> answer = t.run(run_call<HttpResponse>(shared_impl_of(t.runtime), CallOptions(), "test", script));
    REQUIRE(answer.has_error());
    check_hint(answer.error(), status == 401 ? "The access token is missing" : "Check the project and zone");
  }
}

TEST_CASE("a token service's refusals name rollcall doctor") {
  for (const int status : {400, 401, 403}) {
    SignedIn s(credential_sample("authorized_user"));
    s.t.answer(status, R"({"error":"invalid_grant"})");
    const Result<HttpResponse> answer = s.fetch();
    REQUIRE(answer.has_error());
    check_hint(answer.error(), status == 403 ? "" : "The credentials were refused");
  }
}

TEST_CASE("missing or invalid credentials name rollcall doctor") {
  for (const std::string file : {"", "nonsense"}) {
    TestRuntime t({{"GOOGLE_APPLICATION_CREDENTIALS", file.empty() ? "/nowhere" : credentials_path}}, {}, default_credentials(),
                  {{credentials_path, file}});
    auto script = [](Call& call) -> asio::awaitable<Result<AccessToken>> { return impl_of(call).credentials->token(call); };
    const Result<AccessToken> token = t.run(run_call<AccessToken>(shared_impl_of(t.runtime), CallOptions(), "test", script));
    REQUIRE(token.has_error());
    check_hint(token.error(), "");
  }
  for (const std::string hint : {"", "check the address"}) {  // of a metadata server that was reached by mistake
    TestRuntime t({}, {}, default_credentials());
    t.answer(Failure(Errc::unreachable, "nobody is there").with_phase(Phase::connect).with_hint(hint));
    auto script = [](Call& call) -> asio::awaitable<Result<AccessToken>> { return impl_of(call).credentials->token(call); };
    const Result<AccessToken> token = t.run(run_call<AccessToken>(shared_impl_of(t.runtime), CallOptions(), "test", script));
    check_failure(token, Errc::unreachable, "no access token");
    check_hint(token.error(), "log in: gcloud auth application-default login");
  }
}

TEST_CASE("every caller that waits for a missing token gets the places that were searched") {
  TestRuntime t({}, {}, default_credentials());
  t.transport->respond = [](const HttpRequest&) {
    ScriptedTransport::Answer answer(Failure(Errc::unreachable, "nobody is there").with_phase(Phase::connect));
    answer.after = std::chrono::milliseconds(1);
    return answer;
  };
  auto script = [](Call& call) -> asio::awaitable<Result<AccessToken>> {
    std::vector<asio::awaitable<Result<AccessToken>>> questions;
    std::vector<std::string> reported;
    const auto ask = [&](Call& within) -> asio::awaitable<Result<AccessToken>> {
      Result<AccessToken> token = co_await impl_of(within).credentials->token(within);
      reported.push_back(token ? "a token" : token.error().what());
      co_return AccessToken();
    };
    for (int i = 0; i < 3; ++i) questions.push_back(ask(call));
    const Result<std::vector<AccessToken>> answers = co_await join(std::move(questions));
    CHECK(answers.has_value());
    CHECK(reported.size() == 3);
    for (const std::string& one : reported) CHECK_THAT(one, Catch::StartsWith("no access token: ROLLCALL_ACCESS_TOKEN is not set"));
    co_return AccessToken();
  };
  CHECK(t.run(run_call<AccessToken>(shared_impl_of(t.runtime), CallOptions(), "test", script)).has_value());
}

TEST_CASE("a caller that stops waiting for a token does not get the places that were searched") {
  TestRuntime t({}, {}, default_credentials());
  t.answer(Failure(Errc::cancelled, "stopped").with_phase(Phase::response));
  auto script = [](Call& call) -> asio::awaitable<Result<AccessToken>> {
    const Result<AccessToken> token = co_await impl_of(call).credentials->token(call);
    check_failure(token, Errc::cancelled, "stopped");
    CHECK_THAT(token.error().what(), !Catch::Contains("no access token"));
    CHECK_THAT(token.error().hint(), !Catch::Contains("log in"));
    co_return AccessToken();
  };
  CHECK(t.run(run_call<AccessToken>(shared_impl_of(t.runtime), CallOptions(), "test", script)).has_value());
}

TEST_CASE("other failures do not name rollcall doctor") {
  TestRuntime t;
  t.answer(404, "{}");
  auto script = [](Call& call) -> asio::awaitable<Result<HttpResponse>> {
    ApiRequest request = cloud_request(tpu_service, *Url::parse("https://tpu.googleapis.com/v2/x"), "TPU 'x'");
    Result<HttpResponse> answer = co_await api_send(call, request);
    co_return answer;
  };
  const Result<HttpResponse> answer = t.run(run_call<HttpResponse>(shared_impl_of(t.runtime), CallOptions(), "test", script));
  CHECK_THAT(answer.error().hint(), !Catch::Contains("rollcall doctor"));
  // A file's mode: no request was sent.
  auto read_file = [](Call&) -> asio::awaitable<Result<HttpResponse>> {
    co_return Failure(Errc::permission_denied, "cannot read the file");
  };
  const Result<HttpResponse> unread = t.run(run_call<HttpResponse>(shared_impl_of(t.runtime), CallOptions(), "test", read_file));
  check_failure(unread, Errc::permission_denied, "cannot read the file");
  CHECK_THAT(unread.error().hint(), !Catch::Contains("rollcall doctor"));
}

}  // namespace
}  // namespace rollcall::testing
