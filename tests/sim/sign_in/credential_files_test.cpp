// The library signs in at the simulated cloud with each kind of credential file, and renews its tokens.
#include "support/credential_files.hpp"
#include "rollcall/sim/memory.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "sim/sign_in_support.hpp"

namespace rollcall::sim {

namespace {

// Only its own tokens are accepted, and the default of each list includes every identity.
constexpr std::string_view strict_cloud = R"({"api": {"tokens": []}, "metadata": false, "nodes": [{"name": "n", "endpoints": ["10.0.0.2"]}],
  "sign_in": {"lifetime": "1h", "aws": {}, "service_accounts": [{"email": "resolver@example-proj.iam.gserviceaccount.com"}]}})";

class SignInLoop : public testing::VirtualLoop {
 public:
  explicit SignInLoop(std::string file, std::string_view text = strict_cloud)
      : cloud(testing::value_of(Cloud::parse(text, "cloud.json"))), http(make_memory_transport(cloud, time, io.get_executor())),
        runtime(make(std::move(file))) {}

  std::string find() {
    const auto resolver = make_tpu_resolver(runtime, TpuOptions("n").project("example-proj").zone("us-central2-b"));
    const Result<ClusterSpec> spec = run(resolver->try_cluster_spec());
    return spec ? spec->task_address("worker", 0).value() : spec.error().what();
  }
  std::uint64_t asked(std::string_view route) const {
    const auto found = cloud->counts().find(route);
    return found == cloud->counts().end() ? 0 : found->second;
  }

  std::shared_ptr<Cloud> cloud;
  std::shared_ptr<MemoryTransport> http;
  Runtime runtime;

 private:
  Runtime make(std::string file) {
    RuntimeOptions options;
    options.http = http;
    options.time = time;
    options.random_seed = 1;
    options.environment = fixed_environment({});
    options.files = fixed_files({{"/keys.json", std::move(file)}, {"/var/run/secrets/tokens/gcp-ksa/token", "subject"}});
    options.credentials = credential_file("/keys.json");
    return Runtime(io.get_executor(), std::move(options));
  }
};

const std::string found = "10.0.0.2:8470";

}  // namespace

TEST_CASE("sign-in: every kind of credential file that needs a service is served") {
  const std::pair<std::string, std::vector<std::string>> kinds[] = {
      {"authorized_user", {"oauth.token"}},
      {"external_account_authorized_user", {"sts.oauthtoken"}},
      {"external_account.file", {"sts.token", "serviceAccounts.generateAccessToken"}},
      {"external_account.aws", {"imds.session", "imds.zone", "imds.role", "imds.keys", "sts.token"}},
      {"impersonated_service_account", {"oauth.token", "serviceAccounts.generateAccessToken"}}};
  for (const auto& [name, routes] : kinds) {
    INFO(name);
    SignInLoop t(testing::credential_sample(name));
    CHECK(t.find() == found);
    CHECK(t.find() == found);
    for (const std::string& route : routes) {
      INFO(route);
      CHECK(t.asked(route) == 1);
    }
    CHECK(t.cloud->total() == routes.size() + 2);
  }
}

TEST_CASE("sign-in: a service account's own signature is accepted, and otherwise exchanged") {
  SignInLoop own(testing::service_account_sample());
  CHECK(own.find() == found);
  CHECK(own.cloud->total() == 1);
  // If the file does not name the account, only tokens of the token service are accepted.
  SignInLoop exchanged(testing::service_account_sample(),
                       R"({"api": {"tokens": []}, "nodes": [{"name": "n", "endpoints": ["10.0.0.2"]}]})");
  CHECK(exchanged.find() == found);
  CHECK(exchanged.asked("oauth.token") == 1);
}

TEST_CASE("sign-in: tokens are renewed before they end") {
  SignInLoop t(testing::credential_sample("authorized_user"));
  CHECK(t.find() == found);
  t.time->advance(std::chrono::minutes(61));
  CHECK(t.find() == found);
  CHECK(t.asked("oauth.token") == 2);
}

TEST_CASE("sign-in: a revoked login is reported as revoked") {
  SignInLoop t(testing::credential_sample("authorized_user"), R"({"api": {"tokens": []}, "sign_in": {"users": [
    {"refresh_token": "1//EXAMPLE-refresh-token", "revoked_at": 0}]}, "nodes": [{"name": "n"}]})");
  CHECK(t.find().find("Token has been expired or revoked.") != std::string::npos);
  CHECK(t.asked("oauth.token") == 1);
}

}  // namespace rollcall::sim
