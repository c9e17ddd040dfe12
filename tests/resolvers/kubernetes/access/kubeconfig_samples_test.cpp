// Kubeconfigs from the providers' tools: each is parsed and leads to the right server, user and namespace.
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "support/parse_result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

class SampleWorld : public TestRuntime {
 public:
  explicit SampleWorld(const std::string& sample)
      : TestRuntime({{"KUBECONFIG", "/k/config"}}, {}, static_token(Secret<std::string>("runtime-token")),
                    {{"/k/config", read_sample("kubernetes/kubeconfigs/" + sample + ".yaml")},
                     {"/Users/trainer/.minikube/ca.crt", "EXAMPLE-CA"},
                     {"/Users/trainer/.minikube/profiles/minikube/client.crt", "EXAMPLE-CERT"},
                     {"/Users/trainer/.minikube/profiles/minikube/client.key", "EXAMPLE-KEY"}}) {
    answer(200, list_json(""));
    programs->answer(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"made"}})");
  }
};

}  // namespace

TEST_CASE("kubeconfigs of GKE, EKS, AKS, kind, k3s and minikube") {
  struct Row {
    const char* sample;
    const char* origin;
    const char* token;
    std::vector<std::string> words;
    bool has_certificate;
    bool tells_cluster;
  };
  const std::vector<std::string> gke = {"gke-gcloud-auth-plugin"};
  for (const Row& row : {
           Row{"gke", "https://203.0.113.10", "made", gke, false, true},
           Row{"gke-dns", "https://gke-0123456789abcdef-123456789012.us-central1-a.gke.goog", "made", gke, false, true},
           Row{"eks",
               "https://0123456789ABCDEF0123456789ABCDEF.gr7.eu-west-1.eks.amazonaws.com",
               "made",
               {"aws", "--region", "eu-west-1", "eks", "get-token", "--cluster-name", "train", "--output", "json"},
               false,
               false},
           Row{"aks-kubelogin",
               "https://train-dns-0a1b2c3d.hcp.westeurope.azmk8s.io",
               "made",
               {"kubelogin", "get-token", "--environment", "AzurePublicCloud", "--server-id", "6dae42f8-4368-4678-94ff-3960e28e3630",
                "--client-id", "80faf920-1908-4b52-b5ef-a8e7bedfc67a", "--tenant-id", "00000000-0000-0000-0000-000000000000", "--login",
                "azurecli"},
               false,
               false},
           Row{"aks-local", "https://train-dns-0a1b2c3d.hcp.westeurope.azmk8s.io", "EXAMPLE-aks-token", {}, true, false},
           Row{"kind", "https://127.0.0.1:41235", "", {}, true, false},
           Row{"k3s", "https://127.0.0.1:6443", "", {}, true, false},
           Row{"minikube", "https://192.168.49.2:8443", "", {}, true, false},
       }) {
    CAPTURE(row.sample);
    SampleWorld world(row.sample);
    KubernetesOptions options;
    CHECK(workers_of(world, options.namespace_name(".")).empty());
    const HttpRequest& asked = world.transport->requests.at(0);
    CHECK(to_lower(asked.url.origin()) == to_lower(row.origin));
    CHECK(asked.url.target.starts_with("/api/v1/namespaces/default/pods?"));
    CHECK(asked.bearer.reveal() == row.token);
    CHECK(asked.access->certificate == (row.has_certificate ? "EXAMPLE-CERT" : ""));
    CHECK(asked.access->authorities == (row.sample == std::string("gke-dns") ? "" : "EXAMPLE-CA"));
    REQUIRE(world.programs->requests.size() == (row.words.empty() ? 0 : 1));
    if (row.words.empty()) continue;
    CHECK(world.programs->requests[0].words == row.words);
    CHECK((world.programs->requests[0].variables.back().second.find(R"("cluster")") != std::string::npos) == row.tells_cluster);
    if (row.sample == std::string("eks"))
      CHECK(world.programs->requests[0].variables.front() == std::pair<std::string, std::string>("AWS_PROFILE", "trainer"));
  }
}
