// gcloud's settings, and variables that configure another identity: used, or reported.
#include "doctor/doctor_support.hpp"
#include "support/credential_files.hpp"

namespace rollcall::testing {
namespace {

const std::string configuration = "/g/configurations/config_default";

DoctorLoop& with_settings(DoctorLoop& loop, const std::string& text) {
  loop.variables["CLOUDSDK_CONFIG"] = "/g";
  loop.files[configuration] = text;
  return loop;
}

TEST_CASE("doctor: gcloud's settings that are used, and those that are not") {
  DoctorLoop loop;
  loop.files["/ca.pem"] = "PEM";
  with_settings(loop,
                "[core]\ncustom_ca_certs_file = /ca.pem\n[proxy]\ntype = http\naddress = proxy.example\nport = 3128\nusername = me\n"
                "password = hidden-password\n[api_endpoint_overrides]\ntpu = https://tpu.private.example/\n");
  const DoctorCheck followed = loop.check("gcloud");
  check_found(followed, CheckOutcome::pass, "core/custom_ca_certs_file of gcloud's configuration 'default', /ca.pem");
  check_found(followed, CheckOutcome::pass, "http://proxy.example:3128");
  check_found(followed, CheckOutcome::pass, "api_endpoint_overrides/tpu of gcloud's configuration 'default', https://tpu.private.example/");
  CHECK(followed.found.find("hidden-password") == std::string::npos);
  for (const auto& [text, part] : std::initializer_list<std::pair<const char*, const char*>>{
           {"[auth]\ndisable_ssl_validation = True\n", "auth/disable_ssl_validation"},
           {"[auth]\ntoken_host = https://private.example/token\n", "auth/token_host"},
           {"[auth]\nimpersonate_service_account = a@b.example\n", "auth/impersonate_service_account"},
           {"[auth]\naccess_token_file = /t\n", "auth/access_token_file"},
           {"[auth]\ncredential_file_override = /t\n", "auth/credential_file_override"},
           {"[context_aware]\nuse_client_certificate = true\n", "context_aware/use_client_certificate"},
           {"[billing]\nquota_project = q\n", "billing/quota_project"},
           {"[core]\ncustom_ca_certs_file = /none\n", "core/custom_ca_certs_file"},
           {"[proxy]\ntype = socks4\naddress = x\nport = 1\n", "proxy/address"},
           {"[proxy]\ntype = http\n", "belong together"}}) {
    CAPTURE(text);
    DoctorLoop other;
    check_found(with_settings(other, text).check("gcloud"), CheckOutcome::warning, part);
  }
  DoctorLoop variables;
  variables.variables["CLOUDSDK_AUTH_DISABLE_SSL_VALIDATION"] = "true";
  check_found(variables.check("gcloud"), CheckOutcome::warning, "CLOUDSDK_AUTH_DISABLE_SSL_VALIDATION");
}

TEST_CASE("doctor: variables take precedence over gcloud's proxy and trust anchors") {
  DoctorLoop loop;
  loop.files["/ca.pem"] = "PEM";
  loop.variables["HTTPS_PROXY"] = "http://other.example:1";
  loop.variables["SSL_CERT_FILE"] = "/other.pem";
  const DoctorCheck check =
      with_settings(loop, "[core]\ncustom_ca_certs_file = /ca.pem\n[proxy]\ntype = http\naddress = proxy.example\nport = 3128\n")
          .check("gcloud");
  check_found(check, CheckOutcome::warning, "SSL_CERT_FILE comes first");
  check_found(check, CheckOutcome::warning, "HTTPS_PROXY comes first");
}

TEST_CASE("requests to Google's services go by gcloud's trust anchors and proxy, and no others do") {
  DoctorLoop loop;
  loop.files["/ca.pem"] = "PEM";
  loop.files["/k"] =
      "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\nclusters: [{name: k, cluster: {server: "
      "\"https://k8s.example\"}}]\nusers: [{name: u, user: {token: t0123456789}}]\n";
  with_settings(
      loop,
      "[core]\ncustom_ca_certs_file = /ca.pem\n[proxy]\ntype = socks5\naddress = 10.0.0.1\nport = 1080\nusername = a@b\npassword = c/d\n");
  static_cast<void>(value_of(loop.examine()));
  static_cast<void>(value_of(loop.examine(DoctorOptions().target("kubernetes:train,kubeconfig=/k"))));
  int asked = 0;
  for (const HttpRequest& request : loop.transport->requests) {
    const bool is_google = request.url.host.ends_with("googleapis.com");
    asked += is_google;
    CHECK((request.access && request.access->authorities == "PEM") == is_google);
    if (is_google) CHECK(request.access->proxy.reveal() == "socks5h://a%40b:c%2Fd@10.0.0.1:1080");
  }
  CHECK(asked > 1);
}

TEST_CASE("doctor: variables that configure an identity which is not used") {
  DoctorLoop loop;
  loop.variables["GOOGLE_APPLICATION_CREDENTIALS"] = "/adc.json";
  check_found(loop.check("identity"), CheckOutcome::warning, "what GOOGLE_APPLICATION_CREDENTIALS says of the identity is not followed");
  DoctorLoop federated;
  federated.variables.erase("ROLLCALL_ACCESS_TOKEN");
  federated.variables.insert(
      {{"GOOGLE_APPLICATION_CREDENTIALS", "/adc.json"}, {"AWS_PROFILE", "p"}, {"AWS_WEB_IDENTITY_TOKEN_FILE", "/t"}});
  federated.files["/adc.json"] = credential_sample("external_account.aws");
  check_found(federated.check("identity"), CheckOutcome::warning, "what AWS_WEB_IDENTITY_TOKEN_FILE, AWS_PROFILE say");
}

TEST_CASE("doctor: a region where a zone belongs") {
  DoctorLoop loop;
  loop.variables["CLOUDSDK_COMPUTE_ZONE"] = "us-central1";
  check_found(loop.check("zone"), CheckOutcome::warning, "us-central1", "is a region, not a zone");
}

TEST_CASE("gcloud's universe applies to a token without a universe") {
  DoctorLoop loop;
  with_settings(loop, "[core]\nuniverse_domain = cloud.example\n");
  static_cast<void>(value_of(loop.examine()));
  bool is_asked = false;
  for (const HttpRequest& request : loop.transport->requests) is_asked = is_asked || request.url.host == "tpu.cloud.example";
  CHECK(is_asked);
}

}  // namespace
}  // namespace rollcall::testing
