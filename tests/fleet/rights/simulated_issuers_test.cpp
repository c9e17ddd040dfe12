// Authentication with tokens of the simulated cloud: of service accounts, whose pods come and go, and of instances.
#include <catch2/catch.hpp>

#include <boost/json.hpp>

#include "fleet/rights/access.hpp"
#include "support/cloud_loop.hpp"

using namespace rollcall;
using namespace rollcall::fleet;
using namespace rollcall::testing;

namespace {

constexpr std::string_view cluster_file = R"({"project": "p", "kubernetes": {"namespace": "train",
  "users": [{"name": "service", "token": "service-token"}, {"name": "other", "token": "other-token", "rules": []}],
  "pods": [{"name": "w", "timeline": [{"at": 0, "phase": "Running"}, {"at": "10m", "deleted": true}]}]}})";

class IssuerLoop : public CloudLoop {
 public:
  explicit IssuerLoop(const FleetClients& clients, std::string_view text = cluster_file)
      : CloudLoop(text, {}, {{"/config", value_of(sim::Cloud::parse(text, "cloud.json"))->kubeconfig("https://kube.example", "")}}) {
    FleetServiceOptions options;
    options.clients = {clients};
    access = value_of(make_access(runtime, options));
  }
  std::string post(const std::string& path, const std::string& body, const std::string& token = "service-token") {
    sim::Request request;
    request.is_https = true;
    request.method = "POST";
    request.host = "kube.example";
    request.target = path;
    request.headers.add("Authorization", "Bearer " + token);
    request.headers.add("Content-Type", "application/json");
    request.body = body;
    const sim::Reply reply = cloud->handle(request, time->now());
    return fmt::format("{} {}", reply.status, reply.body);
  }
  std::string account_token(const std::string& spec) {
    const std::string reply = post("/api/v1/namespaces/train/serviceaccounts/default/token", R"({"spec":{)" + spec + "}}");
    REQUIRE(reply.starts_with("201 "));
    return std::string(boost::json::parse(reply.substr(4)).at("status").at("token").as_string());
  }
  std::string who(const std::string& token) {
    ServerRequest request;
    request.headers.add("Authorization", "Bearer " + token);
    const Result<Identity> found = run(access->identify(request));
    return found ? found->text : found.error().what();
  }
  std::shared_ptr<Access> access;
};

FleetClients cluster_clients(bool reviews) {
  FleetClients clients;
  clients.method = FleetClients::Method::kubernetes;
  clients.audience = "rollcall";
  clients.kubeconfig = "/config";
  clients.reviews = reviews;
  return clients;
}

constexpr std::string_view of_pod = R"("audiences":["rollcall"],"boundObjectRef":{"kind":"Pod","name":"w"})";

}  // namespace

TEST_CASE("the simulated API server's tokens are known by its keys") {
  IssuerLoop loop(cluster_clients(false));
  const std::string token = loop.account_token(std::string(of_pod));
  CHECK(loop.who(token) == "kubernetes:train/default");
  CHECK(loop.who(loop.account_token(R"("audiences":["other"])")) == "the token is for another audience (aud)");
  CHECK(loop.who(loop.account_token("")) == "the token is for another audience (aud)");
  CHECK(loop.asked("openid.keys") == 1);
  CHECK(loop.asked("tokenreviews.create") == 0);
  loop.advance_to(11 * 60);
  CHECK(loop.who(token) == "kubernetes:train/default");  // the pod is gone, and the token is still valid
}

TEST_CASE("the simulated API server knows in a review that the pod is gone") {
  IssuerLoop loop(cluster_clients(true));
  const std::string token = loop.account_token(std::string(of_pod));
  CHECK(loop.who(token) == "kubernetes:train/default");
  CHECK(loop.asked("tokenreviews.create") == 1);
  loop.advance_to(11 * 60);
  CHECK(loop.who(token) == "the token is refused by the API server (TokenReview)");
}

TEST_CASE("the simulated API server refuses as the real one does") {
  IssuerLoop loop(cluster_clients(true));
  const std::string path = "/api/v1/namespaces/train/serviceaccounts/";
  CHECK(loop.post(path + "default/token", "{}", "other-token").starts_with("403 "));
  CHECK(
      loop.post(path + "default/token", "{}", "other-token")
          .find(
              R"(serviceaccounts \"default\" is forbidden: User \"other\" cannot create resource \"serviceaccounts/token\" in API group \"\" in the namespace \"train\")") !=
      std::string::npos);
  CHECK(loop.post("/apis/authentication.k8s.io/v1/tokenreviews", "{}", "other-token")
            .find(R"(tokenreviews.authentication.k8s.io is forbidden)") != std::string::npos);
  CHECK(loop.post(path + "nobody/token", "{}").starts_with("404 "));
  CHECK(loop.post(path + "default/token", R"({"spec":{"expirationSeconds":10}})").starts_with("422 "));
  CHECK(loop.post(path + "default/token", R"({"spec":{"boundObjectRef":{"kind":"Pod","name":"gone"}}})").starts_with("404 "));
  CHECK(loop.post("/apis/authentication.k8s.io/v1/tokenreviews", R"({"spec":{"token":"nonsense"}})")
            .find(R"("error":"invalid bearer token")") != std::string::npos);
}

TEST_CASE("an instance's identity token names its project and account, if it is asked for in full") {
  FleetClients clients;
  clients.method = FleetClients::Method::google;
  clients.audience = "https://rollcall.example";
  clients.projects = {"p"};
  IssuerLoop loop(clients, R"({"project": "p"})");
  const auto token = [&loop](const std::string& more) {
    sim::Request request;
    request.host = "metadata.google.internal";
    request.target = "/computeMetadata/v1/instance/service-accounts/default/identity?audience=https://rollcall.example" + more;
    request.headers.add("Metadata-Flavor", "Google");
    return loop.cloud->handle(request, loop.time->now()).body;
  };
  CHECK(loop.who(token("&format=full")) == "google:p/tpu-runner@p.iam.gserviceaccount.com");
  CHECK(loop.who(token("")) == "the token names no account (email); ask the metadata server for format=full");
  CHECK(loop.asked("google.keys") == 1);
}
