// Discovery of a Kubernetes API: version, health, resources; and the namespaces.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "sim/kubernetes/k8s_objects.hpp"
#include "sim/wire/k8s_names.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace json = boost::json;

namespace {

// The resources of one version of a group; of the core API namespaces and pods, too.
json::object resource_list(const std::vector<KubeResource>& all, std::string_view group, std::string_view version) {
  json::array list;
  const auto add = [&list](const KubeResource& one, bool is_watched, std::string_view short_name) {
    json::array verbs{"get", "list"};
    if (is_watched) verbs.emplace_back("watch");
    json::object entry{{"name", one.name},
                       {"singularName", to_lower(one.kind)},
                       {"namespaced", one.is_namespaced},
                       {"kind", one.kind},
                       {"verbs", std::move(verbs)}};
    if (!short_name.empty()) entry["shortNames"] = json::array{short_name};
    list.push_back(std::move(entry));
  };
  if (group.empty()) {
    add({"", "v1", "Namespace", "namespaces", false}, false, "ns");
    add({"", "v1", "Pod", "pods"}, true, "po");
  }
  for (const KubeResource& one : all) {
    if (one.group == group && one.version == version) add(one, true, "");
  }
  const std::string name = group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
  json::object out{{"kind", "APIResourceList"}};
  if (!group.empty()) out["apiVersion"] = "v1";
  out["groupVersion"] = name;
  out["resources"] = std::move(list);
  return out;
}

// The versions of a group: v1 before v1beta2 before v1alpha1, as the API server prefers them.
std::vector<std::string> versions_of(const std::vector<KubeResource>& all, std::string_view group) {
  std::vector<std::string> out;
  for (const KubeResource& one : all) {
    if (one.group == group && std::find(out.begin(), out.end(), one.version) == out.end()) out.push_back(one.version);
  }
  const auto rank = [](const std::string& version) {
    return version.find("alpha") != std::string::npos ? 2 : version.find("beta") != std::string::npos ? 1 : 0;
  };
  std::sort(out.begin(), out.end(),
            [&rank](const std::string& a, const std::string& b) { return rank(a) != rank(b) ? rank(a) < rank(b) : a > b; });
  return out;
}

json::object group_json(const std::vector<KubeResource>& all, const std::string& group) {
  json::array versions;
  for (const std::string& version : versions_of(all, group))
    versions.push_back(json::object{{"groupVersion", group + "/" + version}, {"version", version}});
  const json::value preferred = versions.front();
  return {{"name", group}, {"versions", std::move(versions)}, {"preferredVersion", preferred}};
}

Reply groups_reply(const std::vector<KubeResource>& all, const KubeView& view) {
  json::array groups;
  std::string last;
  for (const KubeResource& one : all) {  // sorted by group
    if (one.group != last) groups.push_back(group_json(all, one.group));
    last = one.group;
  }
  return kube_object_reply({{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}}, view);
}

Reply group_reply(const std::vector<KubeResource>& all, const Route& route, const KubeView& view) {
  const std::vector<std::string> versions = versions_of(all, route.group);
  const bool is_known =
      route.version.empty() ? !versions.empty() : std::find(versions.begin(), versions.end(), route.version) != versions.end();
  if (!is_known) return kube_text(404, "404 page not found\n");
  if (!route.version.empty()) return kube_object_reply(resource_list(all, route.group, route.version), view);
  return kube_object_reply(kube_with_kind(group_json(all, route.group), "APIGroup"), view);
}

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
  const std::vector<KubeResource> all = kube_resources(model);
  if (!route.group.empty()) return group_reply(all, route, view);
  if (target.path.starts_with("/api/v1")) return kube_object_reply(resource_list(all, "", "v1"), view);
  if (target.path.starts_with("/apis")) return groups_reply(all, view);
  return kube_object_reply({{"kind", "APIVersions"}, {"versions", json::array{"v1"}}, {"serverAddressByClientCIDRs", json::array()}}, view);
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
