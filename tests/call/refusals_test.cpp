// Hints for refusals by a server, by what was presented to it.
#include "auth/rules/token_service.hpp"
#include "base/base64.hpp"
#include "base/url.hpp"
#include "call/api_client.hpp"
#include "call/call_scope.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/client/rules/fleet_service.hpp"
#include "google/rules/metadata_service.hpp"
#include "resolvers/kubernetes/access/rules/kubernetes_service.hpp"
#include "resolvers/tpu/rules/tpu_service.hpp"
#include "support/certificates.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {
namespace {

CertificateRequest client_request(long from, long to) {
  CertificateRequest request;
  request.common_name = "ada";
  request.valid_from = from;
  request.valid_to = to;
  return request;
}

std::shared_ptr<const ServerAccess> access_with(const CertifiedKey& identity) {
  auto access = std::make_shared<ServerAccess>();
  access->certificate = identity.pem();
  access->key = Secret<std::string>(identity.key_pem());
  access->identity_from = "the client certificate of 'u'";
  return access;
}

class RefusedRequest {
 public:
  const Service* service = &kubernetes_service;
  std::string url = "https://k8s.test/api/v1/pods";
  std::shared_ptr<Credentials> credentials;
  std::shared_ptr<const ServerAccess> access;
  std::string refusal_hint;
};

Failure refused(const RefusedRequest& wanted, const Result<HttpResponse>& answer,
                std::map<std::string, std::string, std::less<>> variables = {},
                std::map<std::string, std::string, std::less<>> files = {}) {
  TestRuntime t(std::move(variables), {}, static_token(Secret<std::string>("test-token")), std::move(files));
  // The certificates are valid at the real time, independent of the virtual time.
  t.time->set_wall(std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()));
  t.transport->answers.emplace_back(answer);
  auto script = [&wanted](Call& call) -> asio::awaitable<Result<HttpResponse>> {
    ApiRequest request(*Url::parse(wanted.url));
    request.service = wanted.service;
    request.credentials = wanted.credentials;
    request.with_token = wanted.credentials != nullptr;
    request.http.access = wanted.access;
    request.refusal_hint = wanted.refusal_hint;
    request.what = "x";
    Result<HttpResponse> got = co_await api_send(call, request);
    co_return got;
  };
  CallOptions options;
  options.retry(RetryPolicy().max_retries(0));
  const Result<HttpResponse> got = t.run(run_call<HttpResponse>(shared_impl_of(t.runtime), std::move(options), "test", script));
  REQUIRE(got.has_error());
  return got.error();
}

std::string jwt_that_ends(const std::string& at) {
  return base64url_encode("{}") + "." + base64url_encode("{\"exp\":" + at + "}") + ".c2ln";
}

TEST_CASE("an expired client certificate is named for every answer of the server") {
  RefusedRequest request;
  request.access = access_with(CertifiedKey(client_request(-7200, -3600)));
  const std::string hint = "the client certificate of 'u' ended on 2";
  CHECK_THAT(refused(request, ScriptedTransport::reply(401, "{}")).hint(), Catch::StartsWith(hint));
  const std::string anonymous = R"({"status":"Failure","message":"User \"system:anonymous\" cannot list pods","code":403})";
  CHECK_THAT(refused(request, ScriptedTransport::reply(403, anonymous)).hint(), Catch::StartsWith(hint));
  CHECK_THAT(refused(request, Failure(Errc::tls_failed, "alert").with_phase(Phase::handshake)).hint(), Catch::StartsWith(hint));
  CHECK_THAT(refused(request, Failure(Errc::unreachable, "closed").with_phase(Phase::response)).hint(), Catch::StartsWith(hint));
  // A client whose name the server knows was authenticated.
  const std::string known = R"({"status":"Failure","message":"User \"ada\" cannot list pods","code":403})";
  CHECK_THAT(refused(request, ScriptedTransport::reply(403, known)).hint(), !Catch::Contains("ended on"));
  CHECK_THAT(refused(request, ScriptedTransport::reply(404, "{}")).hint(), !Catch::Contains("ended on"));
}

TEST_CASE("a valid client certificate that is refused") {
  RefusedRequest request;
  request.access = access_with(CertifiedKey(client_request(-3600, 3600)));
  const std::string hint = refused(request, ScriptedTransport::reply(401, "{}")).hint();
  CHECK_THAT(hint, Catch::StartsWith("The server does not take the client certificate of 'u', which is of 'ada'") &&
                       !Catch::Contains("access token"));
  CHECK_THAT(refused(request, ScriptedTransport::reply(403, "{}")).hint(), Catch::Contains("the name in the client certificate of 'u'"));
  request.access = access_with(CertifiedKey(client_request(3600, 7200)));
  CHECK_THAT(refused(request, ScriptedTransport::reply(401, "{}")).hint(), Catch::Contains("is not valid before 2"));
}

TEST_CASE("a refused token: its expiry and its source") {
  RefusedRequest request;
  request.credentials = static_token(Secret<std::string>(jwt_that_ends("1735689600")));
  CHECK_THAT(refused(request, ScriptedTransport::reply(401, "{}")).hint(), Catch::StartsWith("The token ended on 2025-01-01T00:00:00Z"));
  request.credentials = static_token(Secret<std::string>(jwt_that_ends("4102444800")));
  CHECK_THAT(refused(request, ScriptedTransport::reply(401, "{}")).hint(),
             Catch::StartsWith("The server does not take what came from a given token"));
  request.service = &tpu_service;
  request.credentials = static_token(Secret<std::string>("ya29.opaque-token-of-google"));
  CHECK_THAT(refused(request, ScriptedTransport::reply(401, "{}")).hint(), Catch::Contains("get a new one; it came from a given token"));
  const std::string disabled = R"({"error":{"code":401,"status":"UNAUTHENTICATED","message":"m","details":[)"
                               R"({"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"ACCOUNT_STATE_INVALID"}]}})";
  CHECK_THAT(refused(request, ScriptedTransport::reply(401, disabled)).hint(),
             Catch::StartsWith("The account is disabled or deleted") && Catch::Contains("its token came from a given token"));
}

TEST_CASE("nothing was presented") {
  RefusedRequest request;
  CHECK_THAT(refused(request, ScriptedTransport::reply(401, "{}")).hint(), Catch::StartsWith("Nothing was presented"));
  const std::string anonymous = R"({"status":"Failure","message":"User \"system:anonymous\" cannot list pods","code":403})";
  CHECK_THAT(refused(request, ScriptedTransport::reply(403, anonymous)).hint(), Catch::StartsWith("Nothing was presented"));
}

TEST_CASE("a server with a hint of its own, and a region in a zone's place") {
  RefusedRequest request;
  request.service = &token_service;
  request.url = "http://127.0.0.1/keys";
  request.refusal_hint = "look at the keys";
  for (const int status : {400, 401, 403, 404})
    CHECK_THAT(refused(request, ScriptedTransport::reply(status, "{}")).hint(), Catch::StartsWith("look at the keys"));
  CHECK_THAT(refused(request, ScriptedTransport::reply(429, "{}")).hint(), !Catch::Contains("look at the keys"));
  request = RefusedRequest();
  request.service = &tpu_service;
  request.url = "https://tpu.googleapis.com/v2/projects/p/locations/us-central1/nodes/n";
  CHECK_THAT(refused(request, ScriptedTransport::reply(404, "{}")).hint(), Catch::StartsWith("us-central1 is a region, not a zone"));
  CHECK_THAT(refused(request, ScriptedTransport::reply(403, "{}")).hint(), Catch::Contains("; us-central1 is a region, not a zone"));
  CHECK_THAT(refused(request, ScriptedTransport::reply(401, "{}")).hint(), !Catch::Contains("region"));
}

TEST_CASE("no refusal of a server that is not Google's names roles for TPUs") {
  for (const Service* const service : {&token_service, &kubernetes_service, &fleet_service, &other_service, &metadata_service}) {
    RefusedRequest request;
    request.service = service;
    for (const int status : {401, 403, 404}) {
      const Failure failure = refused(request, ScriptedTransport::reply(status, "{}"));
      CHECK_THAT(failure.hint(), !Catch::Contains("roles/tpu") && !Catch::Contains("roles/compute") && !Catch::Contains("the zone"));
    }
  }
}

TEST_CASE("unsupported gcloud settings are named where they may be the reason") {
  RefusedRequest request;
  request.service = &tpu_service;
  request.url = "https://tpu.googleapis.com/v2/x";
  const auto with = [&](const std::string& text, const Result<HttpResponse>& answer) {
    return refused(request, answer, {{"CLOUDSDK_CONFIG", "/g"}}, {{"/g/configurations/config_default", text}}).hint();
  };
  const Failure untrusted = Failure(Errc::tls_failed, "unknown authority").with_phase(Phase::handshake).with_hint("pass it with --ca FILE");
  CHECK_THAT(with("[auth]\ndisable_ssl_validation = true\n", untrusted),
             Catch::StartsWith("pass it with --ca FILE; auth/disable_ssl_validation of gcloud's configuration 'default' is not followed"));
  CHECK_THAT(with("[auth]\ndisable_ssl_validation = false\n", untrusted), !Catch::Contains("disable_ssl_validation"));
  CHECK_THAT(with("[core]\ncustom_ca_certs_file = /none\n", untrusted), Catch::Contains("core/custom_ca_certs_file of gcloud's"));
  CHECK_THAT(with("[auth]\ntoken_host = https://private.example/token\n", untrusted), Catch::Contains("auth/token_host"));
  CHECK_THAT(with("[proxy]\ntype = socks4\naddress = 10.0.0.1\nport = 1080\n", untrusted), Catch::Contains("proxy/address"));
  const HttpResponse forbidden = ScriptedTransport::reply(403, "{}");
  CHECK_THAT(with("[context_aware]\nuse_client_certificate = True\n", forbidden), Catch::Contains("context_aware/use_client_certificate"));
  CHECK_THAT(with("[auth]\nimpersonate_service_account = a@b\n", forbidden), Catch::Contains("auth/impersonate_service_account"));
  CHECK_THAT(with("[auth]\ndisable_ssl_validation = true\n", forbidden), !Catch::Contains("disable_ssl_validation"));
  CHECK_THAT(refused(request, forbidden, {{"CLOUDSDK_AUTH_ACCESS_TOKEN_FILE", "/t"}}).hint(),
             Catch::Contains("CLOUDSDK_AUTH_ACCESS_TOKEN_FILE"));
  request.service = &kubernetes_service;
  CHECK_THAT(with("[context_aware]\nuse_client_certificate = True\n", forbidden), !Catch::Contains("context_aware"));
}

}  // namespace
}  // namespace rollcall::testing
