// A Kubernetes target: its file, context, server and user; its token, certificate or plugin, the expiry, and the consistency of these.
#include "base/base64.hpp"
#include "doctor/doctor_support.hpp"
#include "support/certificates.hpp"

namespace rollcall::testing {
namespace {

const DoctorOptions at_kubeconfig = DoctorOptions().target("kubernetes:train,kubeconfig=/k");
constexpr long day = 24 * 3600;

std::string config_with(const std::string& user, const std::string& cluster = {}) {
  return R"(current-context: prod
contexts: [{name: prod, context: {cluster: k, user: ada, namespace: own}}]
clusters: [{name: k, cluster: {server: "https://k8s.example:6443")" +
         cluster + R"(}}]
users: [{name: ada, user: {)" +
         user + "}}]\n";
}

CertificateRequest dated(long from, long to) {
  CertificateRequest request;
  request.common_name = "ada-of-the-lab";
  request.valid_from = from;
  request.valid_to = to;
  return request;
}

std::string certificate_of(const CertifiedKey& certificate, const CertifiedKey& key) {
  return "client-certificate-data: " + base64_encode(certificate.pem()) + ", client-key-data: " + base64_encode(key.key_pem());
}

// The certificates are valid today.
class KubernetesDoctor : public DoctorLoop {
 public:
  explicit KubernetesDoctor(const std::string& user, const std::string& cluster = {}) {
    time->set_wall(std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()));
    files["/k"] = config_with(user, cluster);
  }
};

TEST_CASE("doctor: the kubeconfig, its context, server and user") {
  KubernetesDoctor loop("token: pod-reader-token-0123456789");
  check_found(loop.check("kubeconfig", at_kubeconfig), CheckOutcome::pass,
              "context 'prod' (/k, line 2), by the kubeconfig option, cluster 'k' (/k, line 3), server https://k8s.example:6443/");
  check_found(loop.check("credentials", at_kubeconfig), CheckOutcome::pass, "the token of user 'ada' (/k, line 4)");
  check_found(loop.check("token", at_kubeconfig), CheckOutcome::pass, "which does not say until when it is good");
  loop.variables["KUBECONFIG"] = "/k";
  check_found(loop.check("kubeconfig", DoctorOptions().target("kubernetes:train")), CheckOutcome::pass, "by KUBECONFIG");
  const DoctorReport report = value_of(loop.examine(at_kubeconfig));
  for (const DoctorCheck& check : report.checks) CHECK((check.found + check.hint).find("0123456789") == std::string::npos);
}

TEST_CASE("doctor: an unusable kubeconfig is reported with the reason") {
  KubernetesDoctor loop("client-certificate: /none, client-key: /none");
  check_found(loop.check("kubeconfig", at_kubeconfig), CheckOutcome::fail, "client-certificate of 'ada'");
  check_found(loop.check("kubeconfig", DoctorOptions().target("kubernetes:train,kubeconfig=/k,context=dev")), CheckOutcome::fail,
              "no context 'dev'");
}

TEST_CASE("doctor: the expiry of a token") {
  const auto jwt = [](const std::string& end) {
    return base64url_encode("{}") + "." + base64url_encode("{\"exp\":" + end + "}") + ".c2ln";
  };
  KubernetesDoctor ended("token: " + jwt("1735689600"));
  check_found(ended.check("token", at_kubeconfig), CheckOutcome::fail, "ended on 2025-01-01T00:00:00Z", "renewed");
  KubernetesDoctor good("token: " + jwt("4102444800"));
  check_found(good.check("token", at_kubeconfig), CheckOutcome::pass, "good until 2100-01-01T00:00:00Z");
}

TEST_CASE("doctor: the client certificate, its dates and its key") {
  const CertifiedKey good(dated(-day, day));
  const CertifiedKey ended(dated(-20 * day, -10 * day));
  const CertifiedKey early(dated(10 * day, 20 * day));
  check_found(KubernetesDoctor(certificate_of(good, good)).check("client certificate", at_kubeconfig), CheckOutcome::pass,
              "of 'ada-of-the-lab', issued by 'ada-of-the-lab', with its key, good until ");
  check_found(KubernetesDoctor(certificate_of(ended, ended)).check("client certificate", at_kubeconfig), CheckOutcome::fail,
              "the client certificate ended on ", "renewed");
  check_found(KubernetesDoctor(certificate_of(early, early)).check("client certificate", at_kubeconfig), CheckOutcome::fail,
              "is not valid before ");
  check_found(KubernetesDoctor(certificate_of(good, ended)).check("client certificate", at_kubeconfig), CheckOutcome::fail,
              "its key is not the certificate's");
  check_found(KubernetesDoctor(certificate_of(good, good)).check("token", at_kubeconfig), CheckOutcome::skipped, "none is sent");
}

TEST_CASE("doctor: the authority of a server") {
  const CertifiedKey good(dated(-day, day));
  const CertifiedKey ended(dated(-20 * day, -10 * day));
  const auto authority = [](const std::string& pem) { return ", certificate-authority-data: " + base64_encode(pem); };
  check_found(KubernetesDoctor("token: t0123456789", authority(good.pem())).check("authority", at_kubeconfig), CheckOutcome::pass,
              "the certificate-authority-data of 'k' (/k, line 3), 1 certificate");
  check_found(KubernetesDoctor("token: t0123456789", authority(good.pem() + ended.pem())).check("authority", at_kubeconfig),
              CheckOutcome::warning, "1 of them ended");
  check_found(KubernetesDoctor("token: t0123456789", authority(ended.pem())).check("authority", at_kubeconfig), CheckOutcome::fail,
              "ended");
  check_found(KubernetesDoctor("token: t0123456789", authority("nonsense")).check("authority", at_kubeconfig), CheckOutcome::fail,
              "holds no PEM certificate");
  check_found(KubernetesDoctor("token: t0123456789", ", insecure-skip-tls-verify: true").check("authority", at_kubeconfig),
              CheckOutcome::warning, "not verified");
}

TEST_CASE("doctor: a user without credentials") {
  check_found(KubernetesDoctor("as: bob").check("credentials", at_kubeconfig), CheckOutcome::warning, "nothing is presented to the server");
  const DoctorCheck basic = KubernetesDoctor("username: ada, password: very-secret-word").check("credentials", at_kubeconfig);
  check_found(basic, CheckOutcome::pass, "the username and password of user 'ada'");
  CHECK(basic.found.find("very-secret") == std::string::npos);
}

TEST_CASE("doctor: a plugin that is not run, since a token takes precedence") {
  KubernetesDoctor loop("token: t0123456789, exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: plug}");
  check_found(loop.check("credentials", at_kubeconfig), CheckOutcome::pass, "whose exec plugin is not run");
}

TEST_CASE("doctor: a pod's own account") {
  DoctorLoop loop;
  loop.variables = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  const std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
  loop.files[folder + "token"] = "pod-account-token-0123456789";
  loop.files[folder + "ca.crt"] = CertifiedKey(authority_request()).pem();
  loop.files[folder + "namespace"] = "train";
  const DoctorOptions options = DoctorOptions().target("kubernetes:.");
  check_found(loop.check("kubeconfig", options), CheckOutcome::pass, "the pod's own service account, by KUBERNETES_SERVICE_HOST");
  check_found(loop.check("credentials", options), CheckOutcome::pass, "the token file " + folder + "token");
}

}  // namespace
}  // namespace rollcall::testing
