// Sign-in over TLS, and a request with the resulting token: no secret remains in freed memory.
#include <fmt/format.h>
#include <sys/stat.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <optional>

#include "base/base64.hpp"
#include "call/call_scope.hpp"
#include "memory/freed_secrets.hpp"
#include "memory/token_service.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/resolver.hpp"
#include "support/credential_files.hpp"

namespace rollcall::testing {
namespace {

// Random, so that no part of one occurs in another, or in other data.
const std::string refresh_token = "1//0COo38eU2e1SP8MMWLo9IRRqFwfRgJiuNa23pakKqwf0OnEMvAeor";
const std::string next_refresh_token = "1//0XeFZUznOIxxK5kBRCHvhCfO68CdHuMPP964RYWGk8IcyDk2uhSrA";
const std::string client_secret = "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";
const std::string aws_secret_key = "2AKwWmhofYDGyj1OLPSHAWkhAOGXlRhT4Lt4aMdU";
const std::string aws_session_token = "PB2TPcrzm29DPoQchjekMTjSyprRG1iYTeMxCeCoGheR2nRxF3RGtKVLDgABRo0TTm4nCxlXktRJN6zceDNGEcqvO4";
const std::string aws_container_token = "aR9s9q793diTxeflQ7VL41P5jXnbt5s9vetUv5wYqRz";
const std::string access_token = "ya29.HPQR2iw32P2g0TtA3e4dK0gNxP6CyNxA14aQgtNvx1cWPR2ePTQQUjeRQR9b";
const std::string account_token = "ya29.33AJzsDMSlWjRzhfVDgWKLxuFqi1Y68rCl5bS9tWbeoXDVcpPIgFMdCPZU30";
const std::string subject_token = "nX5SUVjmDOxg.u1AOEj2a2gNzyc2ZaolRAW4cAbqSwChJbIipdi7b.PgXycUnpTJLpjP2WLt6RdpeF";
const std::string cluster_token = "z63H8w5SxprrzKmITMwjC4SNRl6zRqGk2eh5oh9UfCCF121m";
const std::string cluster_password = "Tr0ub4dor&k7EIjQYc";

// The key's numbers without the first line, which is the same in all keys.
std::string_view body_of(const std::string& pem) {
  const std::size_t begin = pem.find('\n') + 65;
  return std::string_view(pem).substr(begin, pem.find("\n-----END") - begin);
}

void watch_all() {
  static const bool is_done = [] {
    for (std::string_view key = body_of(rsa_test_key); !key.empty();) {
      const std::size_t end = std::min(key.find('\n'), key.size());
      watch_secret("the private key", key.substr(0, end));
      key.remove_prefix(std::min(end + 1, key.size()));
    }
    watch_secret("the refresh token", refresh_token);
    watch_secret("the next refresh token", next_refresh_token);
    watch_secret("the client secret", client_secret);
    watch_secret("the client secret in Basic credentials", std::string_view(base64_encode("client-of-mine:" + client_secret)).substr(20));
    watch_secret("AWS's secret key", aws_secret_key);
    watch_secret("AWS's session token", aws_session_token);
    watch_secret("the token for the container's server", aws_container_token);
    watch_secret("the access token", access_token);
    watch_secret("the impersonated account's token", account_token);
    watch_secret("the subject token", subject_token);
    watch_secret("the cluster's token", cluster_token);
    watch_secret("the cluster's password", cluster_password);
    watch_secret("the cluster's password in Basic credentials", base64_encode("admin:" + cluster_password));
    watch_secret("the cluster's key in base64", std::string_view(base64_encode(rsa_test_key)).substr(128));
    return true;
  }();
  static_cast<void>(is_done);
}

// The environment of the client. It exists before the watch begins and until after its end.
class World {
 public:
  World()
      : ca(authority_request()), identity(CertificateRequest({"DNS:*.googleapis.com", "IP:127.0.0.1"}), &ca), ca_file(ca.pem()),
        service(identity,
                {{":generateAccessToken", fmt::format(R"({{"accessToken":"{}","expireTime":"2099-01-01T00:00:00Z"}})", account_token)},
                 {"/subject", fmt::format(R"({{"id_token":"{}"}})", subject_token)},
                 {"/aws-keys",
                  fmt::format(R"({{"AccessKeyId":"AKIDEXAMPLE","SecretAccessKey":"{}","Token":"{}"}})", aws_secret_key, aws_session_token)},
                 {"/v1/oauthtoken", token_answer(fmt::format(R"(,"refresh_token":"{}")", next_refresh_token))},
                 {"token", token_answer("")}}) {
    network.ca_file = ca_file.path();
    network.connect_to.push_back(ConnectTo::parse(fmt::format("::127.0.0.1:{}", service.port())).value());
    network.proxy = ProxySettings();
    watch_all();
  }

  std::string url(std::string_view path) const { return fmt::format("https://127.0.0.1:{}{}", service.port(), path); }

  /// The secrets that `use` leaves in freed memory, with a Runtime of its own.
  std::string left_by(const std::function<void(asio::io_context&, const Runtime&)>& use) {
    RuntimeOptions options;
    options.network = network;
    const std::shared_ptr<const Environment> environment = fixed_environment(variables);
    options.environment = environment;
    const std::string path = file ? file->path() : "";
    SecretWatch watch;
    {
      asio::io_context loop{1};
      options.credentials = path.empty() ? static_token(Secret<std::string>("none at all")) : credential_file(path);
      Runtime runtime(loop.get_executor(), std::move(options));
      use(loop, runtime);
      bool is_closed = false;
      asio::co_spawn(loop, runtime.close(), [&is_closed](std::exception_ptr) { is_closed = true; });
      loop.restart();
      while (!is_closed && loop.run_one() > 0) continue;
    }
    return watch.findings();
  }

  const CertifiedKey ca;
  const CertifiedKey identity;
  const TemporaryFile ca_file;
  const TokenService service;
  NetworkOptions network;
  std::map<std::string, std::string, std::less<>> variables;
  std::unique_ptr<TemporaryFile> file;

 private:
  static std::string token_answer(const std::string& more) {
    return fmt::format(R"({{"access_token":"{}","expires_in":3599,"token_type":"Bearer"{}}})", access_token, more);
  }
};

// Two requests: the second one takes the token from the cache.
void sign_in(asio::io_context& loop, const Runtime& runtime) {
  for (int i = 0; i < 2; ++i) {
    auto script = [](Call& call) -> asio::awaitable<Result<HttpResponse>> {
      HttpRequest request(*Url::parse("https://tpu.googleapis.com/v2/x"));
      Result<HttpResponse> answer = co_await call.fetch(std::move(request), true);
      co_return answer;
    };
    std::optional<Result<HttpResponse>> answer;
    asio::co_spawn(loop, run_call<HttpResponse>(shared_impl_of(runtime), CallOptions(), "test", script),
                   [&answer](std::exception_ptr, Result<HttpResponse> result) { answer.emplace(std::move(result)); });
    loop.restart();
    while (!answer && loop.run_one() > 0) continue;
    REQUIRE(answer);
    if (answer->has_error()) UNSCOPED_INFO(answer->error().message());
    REQUIRE(answer->has_value());
  }
}

std::string left_by_credentials(World& world, const std::string& text) {
  world.file = std::make_unique<TemporaryFile>(text);
  return world.left_by(sign_in);
}

// A program that prints the text, and so many blanks that the first buffer for its output is too small.
class Program {
 public:
  explicit Program(const std::string& text) : file_(fmt::format("#!/bin/sh\ncat <<'END'\n{}\nEND\nprintf '%6000s' ''\n", text)) {
    ::chmod(file_.path().c_str(), 0700);
  }
  const std::string& path() const noexcept { return file_.path(); }

 private:
  TemporaryFile file_;
};

// Lists the cluster's pods as a kubeconfig user with these fields.
std::string left_by_cluster(World& world, const std::string& user) {
  const TemporaryFile config(
      fmt::format("current-context: c\nclusters: [{{name: k, cluster: {{server: '{}', certificate-authority: {}}}}}]\n"
                  "users: [{{name: u, user: {{{}}}}}]\ncontexts: [{{name: c, context: {{cluster: k, user: u}}}}]\n",
                  world.url(""), world.ca_file.path(), user));
  world.variables["KUBECONFIG"] = config.path();
  return world.left_by([](asio::io_context& loop, const Runtime& runtime) {
    for (int i = 0; i < 2; ++i) {
      std::optional<Result<ClusterSpec>> spec;
      const auto resolver = make_kubernetes_resolver(runtime);
      asio::co_spawn(loop, resolver->try_cluster_spec(),
                     [&spec](std::exception_ptr, Result<ClusterSpec> result) { spec.emplace(std::move(result)); });
      loop.restart();
      while (!spec && loop.run_one() > 0) continue;
      REQUIRE(spec);
      REQUIRE(spec->has_error());  // there are no pods
      INFO(spec->error().message());
      CHECK(spec->error().last_status() == 200);
    }
  });
}

}  // namespace

TEST_CASE("a watched secret is found in freed memory") {
  if (!can_watch_secrets()) return;
  watch_all();
  SecretWatch watch;
  {
    std::string copy = client_secret;
    const auto kept = std::make_unique<Secret<std::string>>(copy);
    wipe(copy.data(), copy.size());
  }
  {
    const auto copy = std::make_unique<std::string>(refresh_token);
  }
  const std::string findings = watch.findings();
  CHECK_THAT(findings, Catch::StartsWith("the refresh token, in ") && !Catch::Contains("the client secret"));
}

TEST_CASE("signing in leaves no secret in freed memory") {
  if (!can_watch_secrets()) return;
  World world;
  const boost::json::value login = {{"client_id", "client-of-mine"}, {"client_secret", client_secret}, {"refresh_token", refresh_token}};
  SECTION("a service account") { CHECK(left_by_credentials(world, service_account_sample()) == ""); }
  SECTION("a user's refresh token") { CHECK(left_by_credentials(world, credential_sample("authorized_user", login.as_object())) == ""); }
  SECTION("a workforce user's refresh token, with the client's secret in a header") {
    CHECK(left_by_credentials(world, credential_sample("external_account_authorized_user", login.as_object())) == "");
  }
  SECTION("a federated identity's token in a file, and an impersonated account") {
    const TemporaryFile subject(subject_token);
    CHECK(left_by_credentials(
              world, credential_sample(
                         "external_account.file",
                         {{"credential_source", {{"file", subject.path()}}},
                          {"service_account_impersonation_url",
                           "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b.c:generateAccessToken"}})) == "");
  }
  SECTION("a federated identity's token from a server") {
    CHECK(left_by_credentials(world, credential_sample("external_account.url",
                                                       {{"credential_source",
                                                         {{"url", world.url("/subject")},
                                                          {"headers", {{"Authorization", "Bearer " + aws_container_token}}},
                                                          {"format", {{"type", "json"}, {"subject_token_field_name", "id_token"}}}}}})) ==
          "");
  }
  SECTION("a federated identity's token from a program") {
    const Program program(fmt::format(
        R"({{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:id_token","id_token":"{}"}})", subject_token));
    world.variables["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"] = "1";
    CHECK(left_by_credentials(world, credential_sample("external_account.executable",
                                                       {{"credential_source", {{"executable", {{"command", program.path()}}}}}})) == "");
  }
  SECTION("AWS's keys of the environment") {
    world.variables = {{"AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"},
                       {"AWS_SECRET_ACCESS_KEY", aws_secret_key},
                       {"AWS_SESSION_TOKEN", aws_session_token},
                       {"AWS_REGION", "us-east-1"}};
    CHECK(left_by_credentials(world, credential_sample("external_account.aws")) == "");
  }
  SECTION("AWS's keys of a container's server") {
    world.variables = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", world.url("/aws-keys")},
                       {"AWS_CONTAINER_AUTHORIZATION_TOKEN", aws_container_token},
                       {"AWS_REGION", "us-east-1"}};
    CHECK(left_by_credentials(world, credential_sample("external_account.aws")) == "");
  }
}

TEST_CASE("a kubeconfig's user leaves no secret in freed memory") {
  if (!can_watch_secrets()) return;
  World world;
  SECTION("a token") { CHECK(left_by_cluster(world, "token: " + cluster_token) == ""); }
  SECTION("a name and a password") {
    CHECK(left_by_cluster(world, fmt::format("username: admin, password: '{}'", cluster_password)) == "");
  }
  SECTION("an exec plugin's token") {
    const Program plugin(fmt::format(
        R"({{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{{"token":"{}"}}}})", cluster_token));
    CHECK(left_by_cluster(world, fmt::format("exec: {{apiVersion: client.authentication.k8s.io/v1, command: {}, interactiveMode: Never}}",
                                             plugin.path())) == "");
  }
}

TEST_CASE("a client's key leaves nothing in freed memory, from a kubeconfig or from a file") {
  if (!can_watch_secrets()) return;
  World world;
  const CertifiedKey client(CertificateRequest({"DNS:client.test"}));
  const std::string key = client.key_pem();
  // Only the private number. 36 bytes before it are the same in all such keys, and the bytes after it are public in the certificate.
  const std::size_t number = key.find('\n') + 1 + 48;
  watch_secret("the client's key", std::string_view(key).substr(number, 16));
  watch_secret("the client's key", std::string_view(key).substr(number + 17, 24));
  watch_secret("the client's key in base64", std::string_view(base64_encode(key)).substr((number + 2) / 3 * 4, 48));
  SECTION("in a kubeconfig") {
    CHECK(left_by_cluster(world, fmt::format("client-certificate-data: {}, client-key-data: {}, token: {}", base64_encode(client.pem()),
                                             base64_encode(key), cluster_token)) == "");
  }
  SECTION("in a file") {
    const TemporaryFile certificate(client.pem());
    const TemporaryFile key_file(key);
    world.network.certificate_file = certificate.path();
    world.network.key_file = key_file.path();
    CHECK(left_by_credentials(world, service_account_sample()) == "");
  }
}

}  // namespace rollcall::testing
