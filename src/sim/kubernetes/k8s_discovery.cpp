// What a Kubernetes API says of itself: version, health, resources; and the namespaces.
#include <fmt/format.h>

#include <algorithm>

#include "sim/kubernetes/k8s_api.hpp"
#include "sim/wire/k8s_names.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace json = boost::json;

namespace {

json::array strings(std::initializer_list<std::string_view> texts) {
  json::array out;
  for (const std::string_view text : texts) out.push_back(json::string(text));
  return out;
}

Reply version_reply(const KubernetesModel& model) {
  json::object out;
  out["major"] = "1";
  out["minor"] = model.minor;
  out["gitVersion"] = fmt::format("v1.{}.0", model.minor);
  out["gitCommit"] = "0000000000000000000000000000000000000000";
  out["gitTreeState"] = "clean";
  out["buildDate"] = "1970-01-01T00:00:00Z";
  out["goVersion"] = "none";
  out["compiler"] = "none";
  out["platform"] = "simulated";
  Reply reply;
  reply.headers.add("Content-Type", "application/json");
  reply.body = json_text(out, true);
  reply.body.pop_back();
  return reply;
}

json::object resource_json(std::string_view name, std::string_view singular, std::string_view kind, bool is_namespaced,
                           std::string_view shortcut, json::array verbs) {
  json::object out;
  out["name"] = name;
  out["singularName"] = singular;
  out["namespaced"] = is_namespaced;
  out["kind"] = kind;
  out["verbs"] = std::move(verbs);
  out["shortNames"] = strings({shortcut});
  return out;
}

json::object resources_json() {
  json::array resources;
  resources.push_back(resource_json("namespaces", "namespace", "Namespace", false, "ns", strings({"get", "list"})));
  resources.push_back(resource_json("pods", "pod", "Pod", true, "po", strings({"get", "list", "watch"})));
  json::object out;
  out["kind"] = "APIResourceList";
  out["groupVersion"] = "v1";
  out["resources"] = std::move(resources);
  return out;
}

json::object namespace_json(const KubernetesModel& model, const std::string& name) {
  json::object labels;
  labels["kubernetes.io/metadata.name"] = name;
  json::object metadata;
  metadata["name"] = name;
  metadata["uid"] = uuid_of("namespace " + name);
  metadata["resourceVersion"] = std::to_string(model.first_version);
  metadata["creationTimestamp"] = kube_date(model, Duration(0));
  metadata["labels"] = std::move(labels);
  json::object spec;
  spec["finalizers"] = strings({"kubernetes"});
  json::object status;
  status["phase"] = "Active";
  json::object out;
  out["metadata"] = std::move(metadata);
  out["spec"] = std::move(spec);
  out["status"] = std::move(status);
  return out;
}

}  // namespace

Reply kube_discovery(const KubernetesModel& model, const Route& route, const ParsedTarget& target, const KubeView& view) {
  if (route.name == "kubernetes.version") return version_reply(model);
  if (route.name == "kubernetes.health") return kube_text(200, "ok");
  json::object out;
  if (target.path.starts_with("/api/v1")) return kube_object_reply(resources_json(), view);
  const bool is_core = !target.path.starts_with("/apis");
  out["kind"] = is_core ? "APIVersions" : "APIGroupList";
  if (is_core) {
    out["versions"] = strings({"v1"});
    out["serverAddressByClientCIDRs"] = json::array();
  } else {
    out["apiVersion"] = "v1";
    out["groups"] = json::array();
  }
  return kube_object_reply(out, view);
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
    KubeTexts labels;
    labels["kubernetes.io/metadata.name"] = name;
    if (!matches(options.labels, labels) || !matches(options.fields, one)) continue;
    items.push_back(question.view.is_metadata_only ? kube_shown(std::move(one), "Namespace", question.view) : std::move(one));
  }
  json::object metadata;
  metadata["resourceVersion"] = std::to_string(question.current);
  json::object out;
  out["metadata"] = std::move(metadata);
  out["items"] = std::move(items);
  const bool is_partial = question.view.is_metadata_only;
  out = kube_with_kind(std::move(out), is_partial ? "PartialObjectMetadataList" : "NamespaceList", is_partial ? "meta.k8s.io/v1" : "v1");
  return kube_object_reply(out, question.view);
}

}  // namespace rollcall::sim
