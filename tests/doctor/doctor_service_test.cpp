// The way to a service, its answer, and the permissions.
#include "doctor/doctor_support.hpp"

namespace rollcall::testing {
namespace {

const std::string kubeconfig = R"(apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: k, user: u, namespace: own}}]
clusters: [{name: k, cluster: {server: "https://k8s.example"}}]
users: [{name: u, user: {token: pod-reader-token-0123456789}}]
)";

std::string review(bool is_allowed) { return std::string(R"({"status":{"allowed":)") + (is_allowed ? "true" : "false") + "}}"; }

TEST_CASE("doctor: each step of the connection passes, or is the one that fails") {
  DoctorLoop loop;
  check_found(loop.check("name look-up"), CheckOutcome::pass, "tpu.googleapis.com");
  check_found(loop.check("connection"), CheckOutcome::pass, "https://tpu.googleapis.com");
  check_found(loop.check("TLS"), CheckOutcome::pass, "TLSv1.3, certificate issued by Google Trust Services (WR2)");

  loop.transport->way_fails = Failure(Errc::unknown_host, "no such name").with_phase(Phase::resolve);
  check_found(loop.check("name look-up"), CheckOutcome::fail, "no such name");
  check_found(loop.check("connection"), CheckOutcome::skipped, "the step before failed");
  loop.transport->way_fails = Failure(Errc::connect_timeout, "no answer").with_phase(Phase::connect);
  check_found(loop.check("name look-up"), CheckOutcome::pass, "tpu.googleapis.com");
  check_found(loop.check("connection"), CheckOutcome::fail, "no answer");
  check_found(loop.check("TLS"), CheckOutcome::skipped, "the step before failed");
  loop.transport->way_fails = Failure(Errc::tls_failed, "the certificate is for another name").with_phase(Phase::handshake);
  check_found(loop.check("TLS"), CheckOutcome::fail, "for another name");
}

TEST_CASE("doctor: the API refuses") {
  DoctorLoop loop;
  loop.answer("/nodes", 403, R"({"error":{"code":403,"status":"PERMISSION_DENIED","message":"no"}})");
  check_found(loop.check("API"), CheckOutcome::fail, "PERMISSION_DENIED", "roles/tpu.viewer");
  CHECK(value_of(loop.examine()).has_failed());
}

TEST_CASE("doctor: the status by the target's resolver") {
  DoctorLoop loop;
  const DoctorOptions options = DoctorOptions().target("tpu:trainer");
  loop.answer("/nodes/trainer", 404, R"({"error":{"code":404,"status":"NOT_FOUND","message":"no such node"}})");
  check_found(loop.check("target", options), CheckOutcome::fail, "no such node", "rollcall discover lists what is there");
  loop.answer("/nodes/trainer", 200, R"({"name":"trainer","state":"READY","networkEndpoints":[{"ipAddress":"10.0.0.1"}]})");
  check_found(loop.check("target", options), CheckOutcome::pass, "1 of 1 members are ready");
  loop.answer("/nodes/trainer", 200, R"({"name":"trainer","state":"CREATING"})");
  check_found(loop.check("target", options), CheckOutcome::warning, "CREATING", "rollcall wait");
}

TEST_CASE("doctor: permissions of a project") {
  DoctorLoop loop;
  check_found(loop.check("permissions"), CheckOutcome::pass, "tpu.nodes.get, tpu.nodes.list");
  bool was_asked = false;
  for (const HttpRequest& request : loop.transport->requests) {
    if (request.url.without_query() != "https://cloudresourcemanager.googleapis.com/v1/projects/p:testIamPermissions") continue;
    was_asked = true;
    CHECK(request.body == R"({"permissions":["tpu.nodes.get","tpu.nodes.list"]})");
    CHECK(request.method == HttpMethod::post);
  }
  CHECK(was_asked);
  loop.answer(":testIamPermissions", 200, R"({"permissions":["tpu.nodes.get"]})");
  check_found(loop.check("permissions"), CheckOutcome::fail, "missing in project p: tpu.nodes.list", "--role=roles/tpu.viewer");
  loop.answer(":testIamPermissions", 200, "{}");
  check_found(loop.check("permissions", DoctorOptions().target("gce:g,port=1")), CheckOutcome::fail,
              "compute.instanceGroups.list, compute.instances.get", "--role=roles/compute.viewer");
}

TEST_CASE("doctor: permissions that cannot be checked are skipped") {
  DoctorLoop loop;
  for (const int status : {400, 403, 404, 501}) {
    loop.answer(":testIamPermissions", status);
    check_found(loop.check("permissions"), CheckOutcome::skipped, "cannot be asked for");
  }
  loop.answer(":testIamPermissions", 200, "nonsense");
  check_found(loop.check("permissions"), CheckOutcome::skipped, "cannot be asked for");
  // A token for a private endpoint is not sent to Google.
  loop.variables["CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU"] = "http://127.0.0.1:1/";
  loop.transport->requests.clear();
  check_found(loop.check("permissions"), CheckOutcome::skipped, "CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER is not set");
  for (const HttpRequest& request : loop.transport->requests) CHECK(request.url.host != "cloudresourcemanager.googleapis.com");
  check_found(loop.check("TLS"), CheckOutcome::skipped, "plain http");
  check_found(loop.check("clock"), CheckOutcome::skipped, "https");
}

TEST_CASE("doctor: every kubeconfig of the variable is checked") {
  DoctorLoop loop;
  loop.files["/folder/of/somebody/kubeconfig"] = kubeconfig;
  loop.files["/folder/of/somebody/second/kubeconfig"] = kubeconfig;
  loop.variables["KUBECONFIG"] = "/folder/of/somebody/kubeconfig:/folder/of/somebody/second/kubeconfig";
  loop.are_files_open = true;
  std::string reported;
  const DoctorReport report = value_of(loop.examine(DoctorOptions().target("kubernetes:train")));
  for (const DoctorCheck& check : report.checks)
    if (check.name == "file mode") reported += check.found + "\n";
  CHECK(reported ==
        "/folder/of/somebody/kubeconfig can be read by others on this machine, and may have secrets in "
        "it\n/folder/of/somebody/second/kubeconfig "
        "can be read by others on this machine, and may have secrets in it\n");
}

TEST_CASE("doctor: the rights of an account in a Kubernetes namespace") {
  DoctorLoop loop;
  loop.files["/k"] = kubeconfig;
  const DoctorOptions options = DoctorOptions().target("kubernetes:train,kubeconfig=/k");
  loop.answer("selfsubjectaccessreviews", 201, review(true));
  check_found(loop.check("permissions", options), CheckOutcome::pass, "list, watch pods in namespace 'train'");
  loop.answer("selfsubjectaccessreviews", 201, review(false));
  check_found(loop.check("permissions", options), CheckOutcome::fail, "missing: list, watch pods in namespace 'train'",
              "kubectl create role rollcall --verb=list,watch --resource=pods --namespace=train");
  check_found(loop.check("permissions", DoctorOptions().target("kubernetes:.,kubeconfig=/k")), CheckOutcome::fail, "in namespace 'own'");
  check_found(loop.check("permissions", DoctorOptions().target("kubernetes:,kubeconfig=/k")), CheckOutcome::fail, "in all namespaces",
              "clusterrole");
  for (const int status : {403, 404, 501}) {
    loop.answer("selfsubjectaccessreviews", status);
    check_found(loop.check("permissions", options), CheckOutcome::skipped, "cannot be asked for");
  }
  check_found(loop.check("token", options), CheckOutcome::pass, "from the token of user 'u' (/k, line 6)");
  check_found(loop.check("name look-up", options), CheckOutcome::pass, "k8s.example");
}

TEST_CASE("doctor: the right to list pods without the right to watch them suffices") {
  DoctorLoop loop;
  loop.files["/k"] = kubeconfig;
  loop.transport->respond = [](const HttpRequest& request) -> Result<HttpResponse> {
    CHECK(request.body.find(R"("verb":"get")") == std::string::npos);
    return ScriptedTransport::reply(201, review(request.body.find(R"("verb":"list")") != std::string::npos));
  };
  check_found(loop.check("permissions", DoctorOptions().target("kubernetes:train,kubeconfig=/k")), CheckOutcome::warning,
              "missing: watch pods in namespace 'train'; they are listed again and again", "--verb=list,watch");
}

TEST_CASE("doctor: a target that asks no service") {
  DoctorLoop loop;
  const DoctorReport report = value_of(loop.examine(DoctorOptions().target("simple:job.worker=10.0.0.1:1")));
  CHECK_FALSE(report.has_failed());
  CHECK(report.checks.back().name == "target");
  check_found(report.checks.back(), CheckOutcome::pass, "1 of 1 members are listed, not asked");
  for (const HttpRequest& request : loop.transport->requests) CHECK(request.url.host.find("googleapis.com") == std::string::npos);
}

}  // namespace
}  // namespace rollcall::testing
