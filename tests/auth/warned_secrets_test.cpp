// Secrets with weak protection: a warning is logged once, and they are used all the same.
#include <catch2/catch.hpp>
#include <set>

#include "auth/signed_in.hpp"
#include "support/moded_files.hpp"
#include "support/result.hpp"

namespace rollcall::testing {
namespace {

class WarningLog final : public LogSink {
 public:
  std::vector<std::string> warnings;
  void on_event(const Event& event) noexcept override {
    if (event.kind == EventKind::security_warning) warnings.emplace_back(event.subject);
  }
};

// The hosts of requests that may use a proxy.
class NotedTransport final : public HttpTransport {
 public:
  explicit NotedTransport(std::shared_ptr<HttpTransport> inner) : inner_(std::move(inner)) {}
  std::set<std::string> by_proxy;
  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override {
    if (options.allow_proxy) by_proxy.insert(request.url.origin());
    return inner_->send(request, options);
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions& options) override {
    return inner_->open(request, options);
  }
  void close() override { inner_->close(); }

 private:
  const std::shared_ptr<HttpTransport> inner_;
};

const std::string subject_path = "/var/run/secrets/tokens/gcp-ksa/token";

// The warnings while a token is fetched three times, each time because the last one was rejected.
std::vector<std::string> warnings_of(const std::string& file, std::optional<bool> is_open, std::set<std::string>* by_proxy = nullptr,
                                     std::map<std::string, std::string, std::less<>> variables = {}) {
  TestRuntime t;
  const auto log = std::make_shared<WarningLog>();
  t.transport->respond = [](const HttpRequest& request) {
    if (request.url.host == "tpu.googleapis.com") return ScriptedTransport::Answer(ScriptedTransport::reply(401, "{}"));
    return ScriptedTransport::Answer(ScriptedTransport::reply(
        200, R"({"id_token":"subject.jwt.two","access_token":"ya29.fresh-token","accessToken":"account-token","expires_in":3599,
                 "expireTime":"2099-01-01T00:00:00Z","token_type":"Bearer"})"));
  };
  RuntimeOptions options;
  const auto transport = std::make_shared<NotedTransport>(t.transport);
  options.http = transport;
  options.time = t.time;
  options.random_seed = 1;
  options.environment = fixed_environment(std::move(variables));
  std::map<std::string, std::string, std::less<>> contents = {{credentials_path, file}, {subject_path, "subject.jwt.one"}};
  const auto files = std::make_shared<ModedFiles>(std::move(contents), is_open);
  options.files = files;
  options.credentials = credential_file(credentials_path);
  options.log = log;
  const Runtime runtime(t.io.get_executor(), options);
  auto script = [](Call& call) -> asio::awaitable<Result<HttpResponse>> {
    HttpRequest request(*Url::parse("https://tpu.googleapis.com/v2/x"));
    Result<HttpResponse> answer = co_await call.fetch(std::move(request), true);
    co_return answer;
  };
  for (int i = 0; i < 3; ++i) {
    const Result<HttpResponse> answer = t.run(run_call<HttpResponse>(shared_impl_of(runtime), CallOptions(), "test", script));
    check_failure(answer, Errc::unauthenticated, "401");
  }
  for (const std::string& warning : log->warnings) {
    CHECK(warning.find("subject.jwt") == std::string::npos);
    CHECK(warning.find("EXAMPLE") == std::string::npos);
  }
  // After its warning a file is not checked again.
  if (is_open == true) CHECK(files->polls == static_cast<int>(log->warnings.size()));
  if (by_proxy) *by_proxy = transport->by_proxy;
  return log->warnings;
}

TEST_CASE("a credential file that others can read is reported once") {
  for (const char* const kind :
       {"service_account", "authorized_user", "external_account_authorized_user", "impersonated_service_account"}) {
    CAPTURE(kind);
    const std::string file = std::string(kind) == "service_account" ? service_account_sample() : credential_sample(kind);
    const std::vector<std::string> warnings = warnings_of(file, true);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings.front() == "'" + credentials_path + "' holds a secret and can be read by others on this machine: chmod go-rwx it");
    CHECK(warnings_of(file, false).empty());
    CHECK(warnings_of(file, std::nullopt).empty());
  }
}

TEST_CASE("for a federated identity the file with the token is reported, and not the one that names it") {
  const std::vector<std::string> warnings = warnings_of(credential_sample("external_account.file"), true);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings.front(), Catch::StartsWith("'" + subject_path + "' holds a secret"));
  const std::string with_client = credential_sample("external_account.file", {{"client_id", "c"}, {"client_secret", "s"}});
  CHECK(warnings_of(with_client, true).size() == 2);
}

TEST_CASE("a subject token over plain http is reported once, unless it comes from this machine") {
  std::set<std::string> by_proxy;
  const auto reports_of = [&by_proxy](const std::string& url) {
    return warnings_of(
        credential_sample("external_account.url", {{"credential_source",
                                                    {{"url", url},
                                                     {"headers", {{"x", "subject.jwt"}}},
                                                     {"format", {{"type", "json"}, {"subject_token_field_name", "id_token"}}}}}}),
        false, &by_proxy);
  };
  const std::vector<std::string> warnings = reports_of("http://identity.example/token?secret=EXAMPLE");
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings.front(), Catch::StartsWith("the subject token is requested from http://identity.example, over plain http"));
  CHECK(by_proxy.count("http://identity.example") == 0);
  for (const char* const url : {"https://identity.example/token", "http://127.0.0.1:9/token", "http://[::1]/token", "http://localhost:80/t",
                                "http://169.254.169.254/metadata/identity", "http://[fd00:ec2::254]/x", "http://[fe80::1]/x",
                                "http://metadata.google.internal/x"}) {
    CAPTURE(url);
    CHECK(reports_of(url).empty());
    CHECK(by_proxy.count(Url::parse(url)->origin()) == (std::string(url).starts_with("https:") ? 1 : 0));
  }
}

}  // namespace
}  // namespace rollcall::testing
