#include "sim/kubernetes/k8s_kubeconfig.hpp"

#include <fmt/format.h>

#include "sim/kubernetes/k8s_access.hpp"
#include "sim/wire/encoding.hpp"

namespace rollcall::sim {

std::string kubeconfig_text(const KubernetesModel& model, std::string_view server, std::string_view ca_pem) {
  std::vector<KubeUser> users = model.users;
  if (users.empty()) {
    KubeUser anybody;
    anybody.name = "simulated";
    anybody.token = kube_token(model);
    users.push_back(std::move(anybody));
  }
  const auto text = [](std::string_view value) { return boost::json::serialize(value); };  // a JSON string is a YAML string
  std::string out = fmt::format(
      "apiVersion: v1\nkind: Config\nclusters:\n- name: simulated\n  cluster:\n    server: {}\n    certificate-authority-data: "
      "{}\nusers:\n",
      text(server), base64_encode(ca_pem));
  for (const KubeUser& user : users) out += fmt::format("- name: {}\n  user:\n    token: {}\n", text(user.name), text(user.token));
  out += "contexts:\n";
  for (const KubeUser& user : users) {
    out += fmt::format("- name: {0}\n  context:\n    cluster: simulated\n    namespace: {1}\n    user: {0}\n", text(user.name),
                       text(model.default_namespace));
  }
  out += fmt::format("current-context: {}\n", text(users.front().name));
  return out;
}

}  // namespace rollcall::sim
