// A follower whose server shows a certificate of another authority, which the files of the kubeconfig name by then.
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "rollcall/wait.hpp"
#include "support/certificates.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

class RenewedFiles final : public Files {
 public:
  std::map<std::string, std::string, std::less<>> texts;
  Result<std::string> read(const std::string& path, std::size_t max_bytes) const override {
    return fixed_files(texts)->read(path, max_bytes);
  }
};

// The second list of pods fails in the handshake.
class RenewedWorld : public TestRuntime {
 public:
  explicit RenewedWorld(std::string later_authority) {
    files->texts["/k/ca.pem"] = CertifiedKey(authority_request()).pem();
    files->texts["/k/config"] =
        "current-context: c\nclusters: [{name: k, cluster: {server: 'https://10.0.0.9:6443', certificate-authority: ca.pem}}]\n"
        "users: [{name: u, user: {token: t}}]\ncontexts: [{name: c, context: {cluster: k, user: u, namespace: train}}]\n";
    RuntimeOptions options;
    options.http = transport;
    options.time = time;
    options.environment = fixed_environment({{"KUBECONFIG", "/k/config"}});
    options.files = files;
    with_files.emplace(io.get_executor(), std::move(options));
    transport->respond = [this, later_authority = std::move(later_authority)](const HttpRequest& request) {
      if (request.url.target.find("watch=1") != std::string::npos) return ScriptedTransport::Answer(ScriptedTransport::reply(200));
      const bool is_list = request.url.target.substr(0, request.url.target.find('?')).ends_with("/pods");
      if (!is_list) return ScriptedTransport::Answer(ScriptedTransport::reply(404, "404 page not found"));
      if (++lists == 2) {
        if (!later_authority.empty()) files->texts["/k/ca.pem"] = later_authority;
        return ScriptedTransport::Answer(Failure(Errc::tls_failed, "its certificate was issued by an unknown authority"));
      }
      const char* const ready = lists > 2 ? R"(,"conditions":[{"type":"Ready","status":"True"}])" : "";
      return ScriptedTransport::Answer(ScriptedTransport::reply(200, list_json(pod_json("a", "10.0.0.1", {}, ready))));
    };
  }
  Result<ClusterStatus> wait() {
    KubernetesOptions options;
    options.namespace_name("train").job("worker", {"app=a"});
    WaitOptions patience;
    patience.timeout(60s);
    return run(try_wait_until_ready(make_kubernetes_resolver(*with_files, std::move(options)), usually_ready, std::move(patience)));
  }
  std::shared_ptr<RenewedFiles> files = std::make_shared<RenewedFiles>();
  std::optional<Runtime> with_files;
  int lists = 0;
};

}  // namespace

TEST_CASE("a follower goes on with the authority that has been written since") {
  RenewedWorld world(CertifiedKey(authority_request("Next CA")).pem());
  const Result<ClusterStatus> status = world.wait();
  CHECK(status.has_value());
  CHECK(world.lists == 3);
}

TEST_CASE("a follower whose authority is the same as before ends with the server's certificate") {
  RenewedWorld world("");
  check_failure(world.wait(), Errc::tls_failed, "unknown authority");
  CHECK(world.lists == 2);
}
