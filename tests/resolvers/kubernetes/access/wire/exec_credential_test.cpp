// exec_info() and parse_exec_credential().
#include "resolvers/kubernetes/access/wire/exec_credential.hpp"

#include <catch2/catch.hpp>

#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

constexpr const char* v1 = "client.authentication.k8s.io/v1";
constexpr const char* v1beta1 = "client.authentication.k8s.io/v1beta1";

Result<ExecCredential> credential_of(const std::string& json, const char* version = v1) {
  return parse_exec_credential("the plugin", version, json);
}
Result<ExecCredential> credential_with(const std::string& status) {
  return credential_of(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" + status + "}");
}

}  // namespace

TEST_CASE("the input of an exec plugin") {
  CHECK(exec_info(v1beta1, true, nullptr) ==
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","spec":{"interactive":true}})");
  ExecCluster cluster;
  cluster.server = "https://203.0.113.10";
  cluster.authorities = "EXAMPLE-CA";
  CHECK(exec_info(v1, false, &cluster) ==
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false,"cluster":)"
        R"({"server":"https://203.0.113.10","certificate-authority-data":"RVhBTVBMRS1DQQ==","config":null}}})");
  cluster.tls_server_name = "api";
  cluster.skips_verification = true;
  cluster.authorities.clear();
  cluster.proxy_url = "http://p:1";
  cluster.disables_compression = true;
  cluster.config = R"({"audience":"a"})";
  CHECK(exec_info(v1, false, &cluster) ==
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false,"cluster":)"
        R"({"server":"https://203.0.113.10","tls-server-name":"api","insecure-skip-tls-verify":true,"proxy-url":"http://p:1",)"
        R"("disable-compression":true,"config":{"audience":"a"}}}})");
}

TEST_CASE("an exec plugin's token, certificate and expiry") {
  const ExecCredential sample = value_of(credential_of(read_sample("kubernetes/exec.reply.token.json")));
  CHECK(sample.token.reveal() == "EXAMPLE-exec-token");
  CHECK(sample.certificate.empty());
  REQUIRE(sample.expires_at);
  CHECK(sample.expires_at->time_since_epoch() == 1795198961s);
  const ExecCredential old = value_of(credential_of(read_sample("kubernetes/exec.reply.token-v1beta1-no-expiry.json"), v1beta1));
  CHECK(old.token.reveal() == "EXAMPLE-exec-token");
  CHECK_FALSE(old.expires_at);
  const ExecCredential both =
      value_of(credential_with(R"({"token":"t","clientCertificateData":"C\n","clientKeyData":"K\n","expirationTimestamp":null})"));
  CHECK(both.token.reveal() == "t");
  CHECK(both.certificate == "C\n");
  CHECK(both.key.reveal() == "K\n");
  CHECK(value_of(credential_with(R"({"clientCertificateData":"C","clientKeyData":"K","more":[1]})")).token.empty());
}

TEST_CASE("expiries outside the range of times") {
  const auto expiry_of = [](const std::string& text) {
    return value_of(credential_with(R"({"token":"t","expirationTimestamp":")" + text + R"("})")).expires_at;
  };
  CHECK(expiry_of("9999-12-31T23:59:59Z") == WallTime::max());
  CHECK(expiry_of("2400-02-29T00:00:00Z") == WallTime::max());
  CHECK(expiry_of("0001-01-02T00:00:00Z") == WallTime::min());
  CHECK(expiry_of("0001-01-01T00:00:00Z") == std::nullopt);  // Go's zero time
  CHECK(expiry_of("1970-01-01T00:00:00Z") == WallTime());
  CHECK(expiry_of("2026-10-05T01:12:59.5+05:30").has_value());
  for (const char* const bad : {"soon", "1795198961", "2026-13-01T00:00:00Z", "9999-13-01T00:00:00Z", "9999", "2026-10-05", "20", "3"}) {
    CAPTURE(bad);
    check_failure(credential_with(R"({"token":"t","expirationTimestamp":")" + std::string(bad) + R"("})"), Errc::malformed_response,
                  "the plugin printed an expirationTimestamp that is no date");
  }
}

TEST_CASE("an invalid answer of an exec plugin is refused, and none of it is shown") {
  const auto refused = [](const Result<ExecCredential>& result, const std::string& part, Errc code = Errc::malformed_response) {
    check_failure(result, code, part);
    CHECK_THAT(result.error().message(), Catch::StartsWith("the plugin ") && !Catch::Contains("hush"));
  };
  refused(credential_of(""), "printed nothing");
  refused(credential_of(" \n"), "printed nothing");
  refused(credential_of("hush"), "did not print a credential");
  refused(credential_of(R"({"status":{"token":"hush"})"), "did not print a credential");
  refused(credential_of(R"(["hush"])"), "printed an array, not a credential");
  refused(credential_of(R"("hush")"), "printed a text, not a credential");
  refused(credential_of(R"({"status":{"token":"hush"}})"), "of kind '', not ExecCredential");
  refused(credential_of(R"({"kind":"Status","apiVersion":"v1","token":"hush"})"), "of kind 'Status', not ExecCredential");
  refused(credential_of(R"({"kind":7,"apiVersion":"v1"})"), "a kind or apiVersion that is no text");
  refused(credential_of(read_sample("kubernetes/exec.reply.token.json"), v1beta1),
          "answered in version 'client.authentication.k8s.io/v1', while the kubeconfig has 'client.authentication.k8s.io/v1beta1'");
  refused(credential_of(read_sample("kubernetes/exec.reply.no-status.json")), "printed no status");
  refused(credential_of(read_sample("kubernetes/exec.reply.cert-without-key.json")), "a clientCertificateData without a clientKeyData");
  refused(credential_with(R"("hush")"), "a status that is no object");
  refused(credential_with("null"), "printed no status");
  refused(credential_with("{}"), "neither a token nor a client certificate");
  refused(credential_with(R"({"token":""})"), "neither a token nor a client certificate");
  refused(credential_with(R"({"token":{"hush":1}})"), "a token that is no text");
  refused(credential_with(R"({"token":"hush\r\nX-Injected: 1"})"), "a token that cannot be one");
  refused(credential_with(R"({"token":"hush hush"})"), "a token that cannot be one");
  refused(credential_with(R"({"token":")" + std::string(65537, 'h') + R"("})"), "a token that cannot be one");
  refused(credential_with(R"({"clientKeyData":"hush"})"), "a clientKeyData without a clientCertificateData");
  refused(credential_with(R"({"clientCertificateData":["hush"],"clientKeyData":"hush"})"), "a clientCertificateData that is no text");
  refused(credential_of(std::string(100'000, '[')), "did not print a credential");
  refused(credential_of(R"({"x":")" + std::string(2 << 20, 'x') + R"("})"), "did not print a credential");
}
