// The lease as a Lease of Kubernetes: what is sent, and what the API server's answers mean.
#include <catch2/catch.hpp>

#include "lease/engine_support.hpp"

namespace rollcall::testing {
namespace {

constexpr const char* kubeconfig_of_lease = R"(
apiVersion: v1
kind: Config
current-context: prod
contexts: [{name: prod, context: {cluster: c, user: u, namespace: ml}}]
clusters: [{name: c, cluster: {server: "https://k8s.example"}}]
users: [{name: u, user: {token: secret-token}}]
)";

class KubernetesBench : public ScriptedEngine {
 public:
  explicit KubernetesBench(lease::KubernetesLeaseOptions options = {}, const std::string& config = kubeconfig_of_lease)
      : ScriptedEngine(value_of(lease::make_kubernetes_lease(std::move(options))), {{"KUBECONFIG", "/config"}}, {{"/config", config}}) {}
};

std::string lease_json(std::string_view holder, std::string_view annotations, std::string_view more = R"("leaseTransitions":3)",
                       std::string_view revision = "17") {
  return fmt::format(
      R"({{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{{"name":"rollcall","namespace":"ml","uid":"u1","resourceVersion":"{}",)"
      R"("labels":{{"app.kubernetes.io/managed-by":"Helm"}},"managedFields":[{{"manager":"x"}}],"annotations":{{{}}}}},)"
      R"("spec":{{"holderIdentity":"{}","leaseDurationSeconds":15,{}}}}})",
      revision, annotations, holder, more);
}
constexpr const char* annotations_of_a = R"("rollcall.dev/url":"https://a:7070","rollcall.dev/epoch":"1795781644","team":"ml")";
std::string status_json(std::string_view message) { return fmt::format(R"({{"kind":"Status","message":"{}"}})", message); }

}  // namespace

TEST_CASE("a Lease is read by one GET, and its version has the uid") {
  KubernetesBench bench;
  bench.answer(200, lease_json("a", annotations_of_a));
  CHECK(value_of(bench.read()) == lease_of("a", 1795781644, "u1/17"));
  CHECK(bench.transport->requests.size() == 1);
  CHECK(bench.last().url.target == "/apis/coordination.k8s.io/v1/namespaces/ml/leases/rollcall");
  CHECK(bench.last().bearer.reveal() == "secret-token");
  bench.then(200, lease_json("", ""));  // as a manifest makes it
  CHECK(value_of(bench.read()).epoch == 0);
  CHECK(value_of(bench.read()).version == "u1/17");
  bench.then(404, status_json("leases.coordination.k8s.io not found"));
  CHECK(value_of(bench.read()) == LeaseRecord());
}

TEST_CASE("a Lease is written over what was read, and keeps what others wrote there") {
  KubernetesBench bench;
  bench.answer(200, lease_json("a", annotations_of_a));
  const LeaseRecord seen = value_of(bench.read());
  bench.then(200,
             lease_json("b", R"("rollcall.dev/url":"https://b:7070","rollcall.dev/epoch":"1795781700")", R"("leaseTransitions":4)", "18"));
  const MaybeRecord written = value_of(bench.write(seen, lease_of("b", 1795781700)));
  REQUIRE(written);
  CHECK(*written == lease_of("b", 1795781700, "u1/18"));
  const HttpRequest& sent = bench.last();
  CHECK(sent.method == HttpMethod::put);
  for (const char* part : {R"("resourceVersion":"17")", R"("uid":"u1")", R"("app.kubernetes.io/managed-by":"Helm")", R"("team":"ml")",
                           R"("holderIdentity":"b")", R"("leaseTransitions":4)", R"("rollcall.dev/epoch":"1795781700")",
                           R"("leaseDurationSeconds":15)", R"("acquireTime":"1999-12-25T00:00:00.000000Z")", R"(.000000Z")"})
    CHECK_THAT(sent.body, Catch::Contains(part));
  CHECK_THAT(sent.body, !Catch::Contains("managedFields"));
  // A renewal counts no transition.
  bench.then(200, lease_json("b", R"("rollcall.dev/epoch":"1795781700")", R"("leaseTransitions":4)", "19"));
  CHECK(value_of(bench.write(*written, lease_of("b", 1795781700))));
  CHECK_THAT(bench.last().body, Catch::Contains(R"("leaseTransitions":4)"));
  // A release names no holder, and the epoch stays.
  const LeaseRecord renewed = lease_of("b", 1795781700, "u1/19");
  bench.then(200, lease_json("", R"("rollcall.dev/epoch":"1795781700")", R"("leaseTransitions":4)", "20"));
  const MaybeRecord released = value_of(bench.write(renewed, lease_of("", 1795781700)));
  REQUIRE(released);
  CHECK(released->epoch == 1795781700);
  CHECK_THAT(bench.last().body, Catch::Contains(R"("holderIdentity":"")"));
  CHECK_THAT(bench.last().body, Catch::Contains(R"("leaseTransitions":4)"));
}

TEST_CASE("a Lease that is missing is created, as one that was never taken") {
  KubernetesBench bench;
  bench.answer(404, status_json("not found"));
  const LeaseRecord seen = value_of(bench.read());
  bench.then(201, lease_json("", "", R"("renewTime":null)"));
  CHECK(value_of(bench.write(seen, lease_of("", 0))));
  CHECK(bench.last().method == HttpMethod::post);
  CHECK(bench.last().url.target == "/apis/coordination.k8s.io/v1/namespaces/ml/leases");
  CHECK_THAT(bench.last().body, !Catch::Contains("holderIdentity"));
  CHECK_THAT(bench.last().body, Catch::Contains(R"("name":"rollcall","namespace":"ml")"));
}

TEST_CASE("another write of the Lease that came first is no failure") {
  KubernetesBench bench;
  bench.answer(200, lease_json("a", annotations_of_a));
  const LeaseRecord seen = value_of(bench.read());
  for (const int status : {409, 404}) {
    bench.then(status, status_json("the object has been modified"));
    CHECK(!value_of(bench.write(seen, lease_of("b", 1795781700))));
  }
  // What was not read last is not written over.
  const std::size_t before = bench.transport->requests.size();
  CHECK(!value_of(bench.write(lease_of("a", 7, "u1/16"), lease_of("b", 1795781700))));
  CHECK(bench.transport->requests.size() == before);
}

TEST_CASE("refusals of the API server say what to do") {
  KubernetesBench bench;
  bench.answer(403, status_json("leases is forbidden"));
  check_failure(bench.read(), Errc::permission_denied, "the Lease 'rollcall'", "leases is forbidden");
  CHECK_THAT(bench.read().error().hint(), Catch::Contains("verb get on leases") && Catch::Contains("namespace ml"));
  bench.then(404, status_json("not found"));
  const LeaseRecord none = value_of(bench.read());
  bench.then(404, status_json(R"(namespaces \"ml\" not found)"));
  check_failure(bench.write(none, lease_of("", 0)), Errc::not_found, "the Lease 'rollcall'");
  bench.then(403, status_json("no"));
  CHECK_THAT(bench.write(none, lease_of("", 0)).error().hint(), Catch::Contains("verb create"));
  bench.then(503, status_json("etcd is away"));
  CHECK(bench.read().error().code() == Errc::unavailable);
  CHECK(bench.transport->requests.size() == 6);  // each one once: the elector asks again
}

TEST_CASE("a Lease of another program, or one that was spoilt, is refused") {
  KubernetesBench bench;
  bench.answer(200, lease_json("kube-scheduler-1", ""));
  check_failure(bench.read(), Errc::failed_precondition, "held by another program, 'kube-scheduler-1'");
  const auto refuses = [&bench](std::string body, const char* words) {
    bench.then(200, std::move(body));
    check_failure(bench.read(), Errc::malformed_response, "the Lease 'rollcall'", words);
  };
  refuses(lease_json("a", R"("rollcall.dev/epoch":"-1")"), "is no number: '-1'");
  refuses(lease_json("a", R"("rollcall.dev/epoch":"18446744073709551616")"), "is no number");
  refuses(lease_json("a", R"("rollcall.dev/epoch":"18446744073709551615")"), "which no replica writes");
  refuses(lease_json("a", R"("rollcall.dev/epoch":"0")"), "no epoch");
  refuses(lease_json("a", R"("rollcall.dev/epoch":"9","rollcall.dev/url":"javascript:x")"), "which is no URL");
  refuses(lease_json("two words", R"("rollcall.dev/epoch":"9")"), "no replica's id");
  refuses(lease_json(std::string(5000, 'x'), R"("rollcall.dev/epoch":"9")"), "no replica's id");
  refuses(R"({"metadata":{"name":"rollcall"}})", "no uid");
  refuses("[]", "no metadata");
  refuses("no JSON", "the Lease");
}

TEST_CASE("options of a Lease are checked, and it is not asked for without encryption") {
  lease::KubernetesLeaseOptions options;
  for (const char* name : {"", "Rollcall", "a/b", "-a", "a..b", "a b"}) {
    options.name = name;
    check_failure(lease::make_kubernetes_lease(options), Errc::invalid_argument, "is no name of a Lease");
  }
  options.name = "rollcall.prod";
  options.namespace_name = "A";
  check_failure(lease::make_kubernetes_lease(options), Errc::invalid_argument, "is not a namespace");
  options.namespace_name = "ops";
  CHECK(value_of(lease::make_kubernetes_lease(options))->name() == "the Lease 'rollcall.prod' in namespace 'ops'");
  std::string plain = kubeconfig_of_lease;
  plain.replace(plain.find("https://"), 8, "http://");
  KubernetesBench bench(options, plain);
  check_failure(bench.read(), Errc::refused_by_policy, "without encryption");
  CHECK(bench.transport->requests.empty());
}

}  // namespace rollcall::testing
