// The manifest of three replicas: its parts fit each other and the settings in it.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "fleet/settings/settings_support.hpp"
#include "json/yaml.hpp"
#include "support/paths.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

class Manifest {
 public:
  Manifest() {
    const std::string text = value_of(file_system()->read((source_dir() / "examples/fleet/kubernetes-replicas.yaml").string(), 65536));
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t end = text.find("\n---\n", at);
      documents_.push_back(value_of(parse_yaml("manifest", std::string_view(text).substr(at, end == std::string::npos ? end : end - at))));
      at = end == std::string::npos ? end : end + 5;
    }
  }
  const YamlNode& of(std::string_view kind) const {
    const YamlNode* found = nullptr;
    for (const YamlNode::Pointer& document : documents_) {
      if (document->find("kind")->text != kind) continue;
      REQUIRE_FALSE(found);
      found = document.get();
    }
    REQUIRE(found);
    return *found;
  }

 private:
  std::vector<YamlNode::Pointer> documents_;
};

// The node at a path of keys; `0` is the first item of a sequence.
const YamlNode& at(const YamlNode& root, std::string_view path) {
  const YamlNode* node = &root;
  for (const std::string_view key : split(path, '/')) {
    INFO(path << " at " << key);
    node = key == "0" && !node->items.empty() ? node->items.front().get() : node->find(key);
    REQUIRE(node);
  }
  return *node;
}
std::string text_at(const YamlNode& root, std::string_view path) { return at(root, path).text; }

std::set<std::string> texts(const YamlNode& list) {
  std::set<std::string> all;
  for (const YamlNode::Pointer& item : list.items) all.insert(item->text);
  return all;
}

constexpr std::string_view container = "spec/template/spec/containers/0";

}  // namespace

TEST_CASE("the account of the replicas may do to the Lease what the service does, and no more") {
  const Manifest manifest;
  const YamlNode& rule = at(manifest.of("Role"), "rules/0");
  CHECK(texts(at(rule, "apiGroups")) == std::set<std::string>{"coordination.k8s.io"});
  CHECK(texts(at(rule, "resources")) == std::set<std::string>{"leases"});
  CHECK(texts(at(rule, "verbs")) == std::set<std::string>{"get", "update"});
  const std::string lease = text_at(manifest.of("Lease"), "metadata/name");
  CHECK(texts(at(rule, "resourceNames")) == std::set<std::string>{lease});
  CHECK(FleetLease().name == lease);
  const YamlNode& binding = manifest.of("RoleBinding");
  CHECK(text_at(binding, "roleRef/name") == text_at(manifest.of("Role"), "metadata/name"));
  CHECK(text_at(binding, "subjects/0/name") == text_at(manifest.of("StatefulSet"), "spec/template/spec/serviceAccountName"));
  for (const std::string_view kind : {"Lease", "Role", "RoleBinding", "ConfigMap", "Service", "PodDisruptionBudget", "StatefulSet"})
    CHECK(text_at(manifest.of(kind), "metadata/namespace") == "rollcall-system");
}

TEST_CASE("the settings of the replicas fit their manifest") {
  const Manifest manifest;
  SettingsFiles files = tls_files();
  const CertifiedKey own(CertificateRequest({"DNS:fleet.example"}));
  files["/etc/rollcall/tls/tls.crt"] = own.pem();
  files["/etc/rollcall/tls/tls.key"] = own.key_pem();
  files["/etc/rollcall/tls/ca.crt"] = own.pem();
  files["/etc/rollcall/token/token"] = "a-token\n";
  const FleetServiceOptions options = value_of(settings_of(text_at(manifest.of("ConfigMap"), "data/fleet.yaml"), files));
  const YamlNode& set = manifest.of("StatefulSet");
  const YamlNode& replica = at(set, container);
  REQUIRE(options.lease.engine == FleetLease::Engine::kubernetes);
  CHECK((options.lease.namespace_name.empty() && options.lease.name == text_at(manifest.of("Lease"), "metadata/name")));

  // Where the others reach a pod.
  const std::string port = text_at(replica, "ports/0/containerPort");
  const YamlNode& service = manifest.of("Service");
  CHECK(options.listen == std::vector<std::string>{":" + port});
  CHECK(text_at(service, "spec/ports/0/port") == port);
  CHECK(text_at(replica, "ports/0/name") == text_at(service, "spec/ports/0/name"));
  CHECK(options.lease.serves_at ==
        fmt::format("https://${{POD_NAME}}.{}.{}.svc:{}", text_at(service, "metadata/name"), text_at(service, "metadata/namespace"), port));
  CHECK((text_at(replica, "env/0/name") == "POD_NAME" && text_at(replica, "env/0/valueFrom/fieldRef/fieldPath") == "metadata.name"));
  CHECK(text_at(set, "spec/serviceName") == text_at(service, "metadata/name"));
  CHECK((text_at(service, "spec/clusterIP") == "None" && text_at(service, "spec/publishNotReadyAddresses") == "true"));
  for (const std::string_view path : {"spec/selector/matchLabels/app", "spec/template/metadata/labels/app"})
    CHECK(text_at(set, path) == text_at(service, "spec/selector/app"));
  CHECK(text_at(manifest.of("PodDisruptionBudget"), "spec/selector/matchLabels/app") == text_at(service, "spec/selector/app"));

  // How they prove to each other what they are.
  const std::string account = "kubernetes:rollcall-system/" + text_at(set, "spec/template/spec/serviceAccountName");
  const auto may_follow = [&account](const FleetRight& right) { return right.replica && right.who == account; };
  CHECK(std::any_of(options.rights.begin(), options.rights.end(), may_follow));
  bool has_token = false;
  std::set<std::string> folders;
  for (const YamlNode::Pointer& mount : at(replica, "volumeMounts").items) folders.insert(text_at(*mount, "mountPath"));
  for (const YamlNode::Pointer& volume : at(set, "spec/template/spec/volumes").items) {
    if (!volume->find("projected")) continue;
    has_token = true;
    CHECK(text_at(*volume, "projected/sources/0/serviceAccountToken/audience") == options.clients.at(0).audience);
    CHECK(options.lease.token_file == "/etc/rollcall/token/" + text_at(*volume, "projected/sources/0/serviceAccountToken/path"));
  }
  CHECK(has_token);
  for (const std::string& file :
       {options.tls.certificate_file, options.tls.key_file, options.lease.replica_authorities_file, options.lease.token_file})
    CHECK(folders.contains(file.substr(0, file.rfind('/'))));

  // A pod has time to release the lease (3 s) and to send its launchers away.
  const std::set<std::string> words = texts(at(replica, "args"));
  CHECK((words.contains("--drain") && words.contains("20s")));
  CHECK(std::stoi(text_at(set, "spec/template/spec/terminationGracePeriodSeconds")) > 20 + 3);
  CHECK((text_at(set, "spec/replicas") == "3" && text_at(manifest.of("PodDisruptionBudget"), "spec/maxUnavailable") == "1"));
}
