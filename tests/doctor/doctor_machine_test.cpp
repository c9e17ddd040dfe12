// The checks of the machine: proxy, credentials and their files, token, clock, project and zone, metadata server.
#include "base/base64.hpp"
#include "doctor/doctor_support.hpp"
#include "rollcall/testing/virtual_loop.hpp"

namespace rollcall::testing {
namespace {

const std::string adc_file = "/me/.config/gcloud/application_default_credentials.json";
const std::string user_file =
    R"({"type":"authorized_user","client_id":"c","client_secret":"very-secret-secret","refresh_token":"very-secret-refresh"})";

class CountedWarnings final : public LogSink {
 public:
  int warnings = 0;
  void on_event(const Event& event) noexcept override { warnings += event.kind == EventKind::security_warning; }
};

TEST_CASE("doctor: a machine without faults") {
  DoctorLoop loop;
  const DoctorReport report = value_of(loop.examine());
  CHECK_FALSE(report.has_failed());
  CHECK(report.count(CheckOutcome::warning) == 0);
  std::string names;
  for (const DoctorCheck& check : report.checks) names += check.name + ", ";
  CHECK(
      names ==
      "cluster here, proxy, credentials, quota project, token, metadata server, project, zone, name look-up, connection, TLS, clock, API, "
      "permissions, ");
  check_found(loop.check("credentials"), CheckOutcome::pass, "access token (in ROLLCALL_ACCESS_TOKEN)");
  check_found(loop.check("token"), CheckOutcome::pass, "from ROLLCALL_ACCESS_TOKEN");
  check_found(loop.check("API"), CheckOutcome::pass, "lists the project's TPUs");
  for (const DoctorCheck& check : report.checks) {
    CHECK(check.found.find("given-token") == std::string::npos);
    CHECK(check.hint.find("given-token") == std::string::npos);
  }
}

TEST_CASE("doctor: the proxy and its variable, never its password") {
  DoctorLoop loop;
  check_found(loop.check("proxy"), CheckOutcome::pass, "no variable names one");
  loop.variables["https_proxy"] = "http://me:hidden-password@proxy.example:3128";
  loop.variables["no_proxy"] = ".internal";
  const DoctorCheck check = loop.check("proxy");
  check_found(check, CheckOutcome::pass, "http://proxy.example:3128, from https_proxy, with a user and a password; not for .internal");
  CHECK(check.found.find("hidden-password") == std::string::npos);
  loop.variables["https_proxy"] = "ftp://me:hidden-password@proxy.example";
  const DoctorCheck bad = loop.check("proxy");
  check_found(bad, CheckOutcome::fail, "https_proxy");
  CHECK(bad.found.find("hidden-password") == std::string::npos);
  loop.proxy = ProxySettings::given("socks5h://me:hidden-password@other.example", "--proxy", *fixed_environment(loop.variables));
  const DoctorCheck given = loop.check("proxy");
  check_found(given, CheckOutcome::pass, "socks5h://other.example:1080, from --proxy, with a user and a password; not for .internal");
  loop.proxy = ProxySettings();
  check_found(loop.check("proxy"), CheckOutcome::pass, "none: NetworkOptions::proxy says so, although https_proxy names one");
}

TEST_CASE("doctor: credentials in a file, the source of its path, and its readers") {
  DoctorLoop loop;
  const auto log = std::make_shared<CountedWarnings>();
  loop.log = log;
  loop.variables.erase("ROLLCALL_ACCESS_TOKEN");
  loop.variables["HOME"] = "/me";
  loop.files[adc_file] = user_file;
  loop.answer("oauth2.googleapis.com", 200, R"({"access_token":"user-token-0123456789","expires_in":3600})");
  check_found(loop.check("credentials"), CheckOutcome::pass,
              "authorized_user, " + adc_file + " (from gcloud auth application-default login)");
  check_found(loop.check("token"), CheckOutcome::pass, "good for 1 h");
  check_found(loop.check("quota project"), CheckOutcome::warning, "none is named", "set-quota-project");
  loop.variables["GOOGLE_CLOUD_QUOTA_PROJECT"] = "payer";
  check_found(loop.check("quota project"), CheckOutcome::pass, "payer, from GOOGLE_CLOUD_QUOTA_PROJECT");

  loop.are_files_open = true;
  check_found(loop.check("file mode"), CheckOutcome::warning, adc_file + " can be read by others", "chmod go-rwx");
  CHECK(log->warnings == 0);  // the report contains it
  loop.are_files_open = false;
  check_found(loop.check("file mode"), CheckOutcome::pass, "by its owner alone");
}

TEST_CASE("doctor: the program's own proxy takes precedence over the variables'") {
  DoctorLoop loop;
  loop.variables["https_proxy"] = "http://variable.example:1";
  loop.proxy = ProxySettings("http://me:hidden-password@own.example:3128", ".internal");
  const DoctorCheck check = loop.check("proxy");
  check_found(check, CheckOutcome::pass,
              "http://own.example:3128, from NetworkOptions::proxy, with a user and a password; not for .internal");
  CHECK(check.found.find("hidden-password") == std::string::npos);
  loop.proxy = ProxySettings();
  check_found(loop.check("proxy"), CheckOutcome::pass, "none: NetworkOptions::proxy says so, although https_proxy names one");
  loop.variables.erase("https_proxy");
  check_found(loop.check("proxy"), CheckOutcome::pass, "no variable names one");
}

TEST_CASE("doctor: no credentials, and where they were looked for") {
  DoctorLoop loop;
  loop.variables.erase("ROLLCALL_ACCESS_TOKEN");
  loop.variables["HOME"] = "/me";
  check_found(loop.check("credentials"), CheckOutcome::skipped,
              "ROLLCALL_ACCESS_TOKEN is not set, GOOGLE_APPLICATION_CREDENTIALS is not set, there is no " + adc_file);
  check_found(loop.check("token"), CheckOutcome::fail, "the metadata server gave none", "gcloud auth application-default login");
  loop.files["/sys/class/dmi/id/product_name"] = "Google Compute Engine";  // whose metadata server would give the universe
  check_found(loop.check("name look-up"), CheckOutcome::pass, "tpu.googleapis.com");
  check_found(loop.check("name look-up", DoctorOptions().target("gce:g,port=1")), CheckOutcome::pass, "compute.googleapis.com");
  for (const HttpRequest& request : loop.transport->requests) CHECK(request.bearer.empty());
  loop.files[adc_file] = "nonsense";
  check_found(loop.check("credentials"), CheckOutcome::fail, "application_default_credentials.json");
}

TEST_CASE("doctor: credentials that are refused") {
  DoctorLoop loop;
  loop.variables.erase("ROLLCALL_ACCESS_TOKEN");
  loop.variables["HOME"] = "/me";
  loop.files[adc_file] = user_file;
  loop.answer("oauth2.googleapis.com", 400, R"({"error":"invalid_grant","error_description":"Bad Request very-secret-refresh"})");
  const DoctorCheck token = loop.check("token");
  check_found(token, CheckOutcome::fail, "invalid_grant", "log in again");
  CHECK_THAT(token.hint, !Catch::Contains("rollcall doctor"));  // doctor is what runs already
  CHECK(token.found.find("very-secret-refresh") == std::string::npos);
}

TEST_CASE("doctor: the clock against the service's") {
  DoctorLoop loop;
  check_found(loop.check("clock"), CheckOutcome::pass, "within a minute");
  loop.clock_ahead = std::chrono::seconds(61);
  check_found(loop.check("clock"), CheckOutcome::warning, "1 m 1 s ahead of the service's", "NTP");
  loop.clock_ahead = -std::chrono::minutes(6);
  check_found(loop.check("clock"), CheckOutcome::fail, "6 m behind the service's", "NTP");
  loop.transport->way_fails = Failure(Errc::unreachable, "refused").with_phase(Phase::connect);
  check_found(loop.check("clock"), CheckOutcome::skipped, "no answer");
}

TEST_CASE("doctor: project and zone, and where each comes from") {
  DoctorLoop loop;
  check_found(loop.check("project"), CheckOutcome::pass, "p, from GOOGLE_CLOUD_PROJECT");
  check_found(loop.check("zone"), CheckOutcome::pass, "z, from CLOUDSDK_COMPUTE_ZONE");
  check_found(loop.check("project", DoctorOptions().project("q")), CheckOutcome::pass, "q, from the option project");
  check_found(loop.check("project", DoctorOptions().target("tpu:t,project=r")), CheckOutcome::pass, "r, from the target");
  check_found(loop.check("zone", DoctorOptions().target("tpu:projects/a/locations/b/nodes/c")), CheckOutcome::pass, "b, from the target");
  loop.variables.erase("GOOGLE_CLOUD_PROJECT");
  loop.variables.erase("CLOUDSDK_COMPUTE_ZONE");
  loop.variables["HOME"] = "/me";
  check_found(loop.check("project"), CheckOutcome::warning, "the metadata server did not provide", "gcloud config set project");
  check_found(loop.check("zone", DoctorOptions().target("tpu:t")), CheckOutcome::fail, "the metadata server did not provide", "--zone");
  loop.files["/me/.config/gcloud/configurations/config_default"] = "[core]\nproject = g\n[compute]\nzone = h\n";
  check_found(loop.check("project"), CheckOutcome::pass, "g, from gcloud's configuration 'default'");
  check_found(loop.check("zone"), CheckOutcome::pass, "h, from gcloud's configuration 'default'");
}

TEST_CASE("doctor: the metadata server") {
  DoctorLoop loop;
  check_found(loop.check("metadata server"), CheckOutcome::skipped, "fine off Google Cloud");
  loop.files["/sys/class/dmi/id/product_name"] = "Google Compute Engine\n";
  check_found(loop.check("metadata server"), CheckOutcome::fail, "does not answer");
  HttpResponse flavored = ScriptedTransport::reply(200, "");
  flavored.headers.add("Metadata-Flavor", "Google");
  loop.answer("metadata", flavored);
  check_found(loop.check("metadata server"), CheckOutcome::pass, "it answers");
  loop.variables["NO_GCE_CHECK"] = "true";
  check_found(loop.check("metadata server"), CheckOutcome::skipped, "NO_GCE_CHECK is true");
}

TEST_CASE("doctor: a variable names a metadata server that does not exist") {
  DoctorLoop loop;
  loop.variables["GCE_METADATA_HOST"] = "127.0.0.1:1";
  loop.answer("computeMetadata", Failure(Errc::unreachable, "refused").with_phase(Phase::connect));
  const std::string hint = "GCE_METADATA_HOST names 127.0.0.1:1: is that simulation over? unset it";
  check_found(loop.check("metadata server"), CheckOutcome::warning, "it does not answer at http://127.0.0.1:1", hint);
  for (const char* const name : {"ROLLCALL_ACCESS_TOKEN", "GOOGLE_CLOUD_PROJECT", "CLOUDSDK_COMPUTE_ZONE"}) loop.variables.erase(name);
  check_found(loop.check("token"), CheckOutcome::fail, "the metadata server gave none", hint);
  check_found(loop.check("project"), CheckOutcome::warning, "the metadata server did not provide", hint);
  check_found(loop.check("zone"), CheckOutcome::warning, "the metadata server did not provide", hint);
  loop.files["/sys/class/dmi/id/product_name"] = "Google Compute Engine\n";
  check_found(loop.check("metadata server"), CheckOutcome::fail, "it does not answer at http://127.0.0.1:1", hint);
}

TEST_CASE("doctor: an invalid target is refused before any request") {
  DoctorLoop loop;
  check_failure(loop.examine(DoctorOptions().target("tpu:t,zone=a b")), Errc::invalid_argument, "");
  check_failure(loop.examine(DoctorOptions().target("tpu:t,colour=red")), Errc::invalid_argument, "colour");
  CHECK(loop.transport->requests.empty());
}

TEST_CASE("doctor: the service that is used instead of the clouds, its token and the token's expiry") {
  DoctorLoop loop;
  const DoctorOptions options = DoctorOptions().target("tpu:trainer");
  loop.variables["ROLLCALL_SERVER"] = "https://rollcall.example";
  check_found(loop.check("server", options), CheckOutcome::pass,
              "https://rollcall.example is asked instead of the clouds, without a token");
  loop.variables["ROLLCALL_SERVER_TOKEN_FILE"] = "/token";
  check_found(loop.check("server", options), CheckOutcome::fail, "by the token file /token, which holds no token that can be read");
  const auto jwt = [](const std::string& end) {
    return base64url_encode("{}") + "." + base64url_encode("{\"exp\":" + end + "}") + ".c2ln";
  };
  loop.files["/token"] = jwt("4102444800");
  check_found(loop.check("server", options), CheckOutcome::pass, "good until 2100-01-01T00:00:00Z");
  loop.files["/token"] = jwt("1");
  check_found(loop.check("server", options), CheckOutcome::fail, "which ended on 1970-01-01T00:00:01Z");
  loop.variables["ROLLCALL_SERVER_CA"] = "/ca.pem";
  check_found(loop.check("server", options), CheckOutcome::fail, "/ca.pem");
}

}  // namespace
}  // namespace rollcall::testing
