// Discovery of a Kubernetes API: version, health, resources; and the namespaces.
#include <fmt/format.h>

#include <algorithm>

#include "sim/kubernetes/k8s_api.hpp"
#include "sim/wire/k8s_names.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace json = boost::json;

namespace {

constexpr std::string_view core_resources = R"({
  "kind": "APIResourceList", "groupVersion": "v1",
  "resources": [
    {
      "name": "namespaces", "singularName": "namespace", "namespaced": false, "kind": "Namespace",
      "verbs": ["get", "list"], "shortNames": ["ns"]
    },
    {
      "name": "pods", "singularName": "pod", "namespaced": true, "kind": "Pod",
      "verbs": ["get", "list", "watch"], "shortNames": ["po"]
    }
  ]
})";

Reply version_reply(const KubernetesModel& model) {
  const json::object out{{"major", "1"},
                         {"minor", model.minor},
                         {"gitVersion", fmt::format("v1.{}.0", model.minor)},
                         {"gitCommit", std::string(40, '0')},
                         {"gitTreeState", "clean"},
                         {"buildDate", "1970-01-01T00:00:00Z"},
                         {"goVersion", "none"},
                         {"compiler", "none"},
                         {"platform", "simulated"}};
  Reply reply;
  reply.headers.add("Content-Type", "application/json");
  reply.body = json_text(out, true);
  reply.body.pop_back();
  return reply;
}

json::object namespace_json(const KubernetesModel& model, const std::string& name) {
  json::object metadata{{"name", name},
                        {"uid", uuid_of("namespace " + name)},
                        {"resourceVersion", std::to_string(model.first_version)},
                        {"creationTimestamp", kube_date(model, Duration(0))},
                        {"labels", {{"kubernetes.io/metadata.name", name}}}};
  return {{"metadata", std::move(metadata)}, {"spec", {{"finalizers", json::array{"kubernetes"}}}}, {"status", {{"phase", "Active"}}}};
}

}  // namespace

Reply kube_discovery(const KubernetesModel& model, const Route& route, const ParsedTarget& target, const KubeView& view) {
  if (route.name == "kubernetes.version") return version_reply(model);
  if (route.name == "kubernetes.health") return kube_text(200, "ok");
  if (target.path.starts_with("/api/v1")) return kube_object_reply(json::parse(core_resources).as_object(), view);
  const bool is_group = target.path.starts_with("/apis");
  return kube_object_reply(
      is_group ? json::object{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", json::array()}}
               : json::object{{"kind", "APIVersions"}, {"versions", json::array{"v1"}}, {"serverAddressByClientCIDRs", json::array()}},
      view);
}

Reply kube_namespaces(const KubeQuestion& question, const KubeListOptions& options) {
  const KubernetesModel& model = question.model;
  if (options.is_watch) return kube_no_method();
  if (question.route.verb == "get") {
    const auto& all = model.namespaces;
    if (!std::binary_search(all.begin(), all.end(), question.route.item)) return kube_not_found("namespaces", question.route.item);
    return kube_object_reply(kube_shown(namespace_json(model, question.route.item), "Namespace", question.view), question.view);
  }
  json::array items;
  for (const std::string& name : model.namespaces) {
    json::object one = namespace_json(model, name);
    const KubeTexts labels{{"kubernetes.io/metadata.name", name}};
    if (!matches(options.labels, labels) || !matches(options.fields, one)) continue;
    items.push_back(question.view.is_metadata_only ? kube_shown(std::move(one), "Namespace", question.view) : std::move(one));
  }
  json::object out{{"metadata", {{"resourceVersion", std::to_string(question.current)}}}, {"items", std::move(items)}};
  const bool is_partial = question.view.is_metadata_only;
  out = kube_with_kind(std::move(out), is_partial ? "PartialObjectMetadataList" : "NamespaceList", is_partial ? "meta.k8s.io/v1" : "v1");
  return kube_object_reply(out, question.view);
}

}  // namespace rollcall::sim
