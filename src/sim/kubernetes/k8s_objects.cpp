#include "sim/kubernetes/k8s_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/kubernetes/k8s_watch.hpp"
#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

namespace json = boost::json;

namespace {

// Resources that a client may ask for although there are none of them.
const KubeResource usual_resources[] = {{"", "v1", "Event", "events"},
                                        {"", "v1", "Node", "nodes", false},
                                        {"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"},
                                        {"", "v1", "ResourceQuota", "resourcequotas"},
                                        {"apps", "v1", "Deployment", "deployments"},
                                        {"apps", "v1", "ReplicaSet", "replicasets"},
                                        {"apps", "v1", "StatefulSet", "statefulsets"},
                                        {"batch", "v1", "Job", "jobs"}};

bool is_built_in(std::string_view group) { return group.empty() || group == "apps" || group == "batch" || group.ends_with(".k8s.io"); }

auto order_of(const KubeResource& one) { return std::tie(one.group, one.version, one.name); }

// An object of a custom resource begins with its apiVersion.
json::object with_type(json::object object, std::string_view kind, std::string_view api_version, bool is_custom) {
  if (!is_custom) return kube_with_kind(std::move(object), kind, api_version);
  json::object out{{"apiVersion", api_version}, {"kind", kind}};
  for (auto& [key, value] : object) out[key] = std::move(value);
  return out;
}

KubeTexts labels_of(const json::object& object) {
  KubeTexts out;
  const json::value* const metadata = object.if_contains("metadata");
  const json::value* const labels = metadata && metadata->is_object() ? metadata->get_object().if_contains("labels") : nullptr;
  if (!labels || !labels->is_object()) return out;
  for (const auto& [key, value] : labels->get_object()) {
    if (const json::string* const text = value.if_string()) out.emplace(std::string(key), std::string(text->data(), text->size()));
  }
  return out;
}

class ObjectSource final : public KubeWatchSource {
 public:
  ObjectSource(const KubeQuestion& question, const KubeResource& resource, const KubeListOptions& options)
      : question_(question), resource_(resource), options_(options),
        api_version_(resource.group.empty() ? resource.version : resource.group + "/" + resource.version) {}

  json::object shown(json::object object) const {
    if (question_.view.is_metadata_only) return kube_shown(std::move(object), resource_.kind, question_.view);
    return with_type(std::move(object), resource_.kind, api_version_, !is_built_in(resource_.group));
  }

  bool is_in_scope(const KubeObject& object) const {
    const Route& route = question_.route;
    return object.group == resource_.group && object.version == resource_.version && object.resource == resource_.name &&
           (route.location.empty() || object.namespace_name == route.location);
  }

  // None: it does not exist then, or is not selected.
  std::optional<json::object> at(const KubeObject& object, std::uint64_t version) const {
    const KubeObjectState* const state = kube_state_at(object, version);
    if (!state) return std::nullopt;
    json::object out = kube_object_json(question_.model, object, *state, version);
    if (!matches(options_.labels, labels_of(out)) || !matches(options_.fields, out)) return std::nullopt;
    return out;
  }

  std::vector<json::object> all(std::uint64_t version) const {
    std::vector<json::object> out;
    for (const KubeObject& object : question_.model.objects) {
      if (!is_in_scope(object)) continue;
      if (auto one = at(object, version)) out.push_back(*std::move(one));
    }
    if (resource_.name == "events" && resource_.group.empty()) add_cause_events(out, version);
    return out;
  }

  void send_present(const Send& send) const override {
    for (json::object& one : all(question_.current)) send("ADDED", shown(std::move(one)));
  }

  void send_change(std::uint64_t version, const KubeEvent& event, const Send& send) const override {
    if (event.is_of_object) return send_object(question_.model.objects[event.pod], version, send);
    for (const std::uint32_t number : question_.model.pods[event.pod].objects) {
      const KubeObject& object = question_.model.objects[number];
      if (kube_shown_version(object, version) == version) send_object(object, version, send);
    }
  }

  json::object bookmark(json::object metadata) const override { return shown({{"metadata", std::move(metadata)}}); }

 private:
  void send_object(const KubeObject& object, std::uint64_t version, const Send& send) const {
    if (!is_in_scope(object)) return;
    std::optional<json::object> before = at(object, version - 1);
    std::optional<json::object> after = at(object, version);
    if (after) return send(before ? "MODIFIED" : "ADDED", shown(*std::move(after)));
    if (!before) return;
    before->at("metadata").as_object()["resourceVersion"] = std::to_string(version);
    send("DELETED", shown(*std::move(before)));
  }

  void add_cause_events(std::vector<json::object>& out, std::uint64_t version) const {
    for (const KubePod& pod : question_.model.pods) {
      const KubePodState* const state = kube_state_at(pod, version);
      if (!state || state->cause.empty() || !rollcall::sim::is_in_scope(pod, question_.route)) continue;
      for (json::value& event : kube_cause_events(question_.model, pod, *state)) {
        if (matches(options_.labels, KubeTexts()) && matches(options_.fields, event.as_object()))
          out.push_back(std::move(event.as_object()));
      }
    }
  }

  const KubeQuestion& question_;
  const KubeResource& resource_;
  const KubeListOptions& options_;
  std::string api_version_;
};

Reply list_objects(const KubeQuestion& question, const KubeResource& resource, const ObjectSource& source) {
  json::array items;
  const bool is_custom = !is_built_in(resource.group);
  for (json::object& one : source.all(question.current)) {
    items.push_back(is_custom || question.view.is_metadata_only ? source.shown(std::move(one)) : std::move(one));
  }
  const std::string kind = question.view.is_metadata_only ? "PartialObjectMetadataList" : resource.kind + "List";
  const std::string api_version = question.view.is_metadata_only ? "meta.k8s.io/v1"
                                  : resource.group.empty()       ? resource.version
                                                                 : resource.group + "/" + resource.version;
  const std::string version = std::to_string(question.current);
  if (is_custom) {  // these are written in the order of the alphabet
    return kube_object_reply({{"apiVersion", api_version},
                              {"items", std::move(items)},
                              {"kind", kind},
                              {"metadata", json::object{{"continue", ""}, {"resourceVersion", version}}}},
                             question.view);
  }
  json::object out{{"metadata", json::object{{"resourceVersion", version}}}, {"items", std::move(items)}};
  return kube_object_reply(kube_with_kind(std::move(out), kind, api_version), question.view);
}

}  // namespace

std::vector<KubeResource> kube_resources(const KubernetesModel& model) {
  std::vector<KubeResource> out(std::begin(usual_resources), std::end(usual_resources));
  for (const KubeObject& object : model.objects) {  // sorted by resource
    const bool is_same = out.back().group == object.group && out.back().version == object.version && out.back().name == object.resource;
    if (!is_same) out.push_back({object.group, object.version, object.kind, object.resource, !object.namespace_name.empty()});
  }
  std::sort(out.begin(), out.end(), [](const KubeResource& a, const KubeResource& b) { return order_of(a) < order_of(b); });
  out.erase(std::unique(out.begin(), out.end(), [](const KubeResource& a, const KubeResource& b) { return order_of(a) == order_of(b); }),
            out.end());
  return out;
}

Reply answer_objects(const KubeQuestion& question, const ParsedTarget& target) {
  const Route& route = question.route;
  const std::vector<KubeResource> all = kube_resources(question.model);
  const auto resource = std::find_if(all.begin(), all.end(), [&route](const KubeResource& one) {
    return one.group == route.group && one.version == route.version && one.name == route.collection;
  });
  const bool is_misplaced =
      resource != all.end() && (resource->is_namespaced ? route.location.empty() && !route.item.empty() : !route.location.empty());
  if (resource == all.end() || is_misplaced) return route.group.empty() ? kube_no_resource() : kube_text(404, "404 page not found\n");
  if (route.verb == "get") {
    const KubeListOptions no_options;
    const ObjectSource source(question, *resource, no_options);
    for (const KubeObject& object : question.model.objects) {
      if (object.name != route.item || !source.is_in_scope(object)) continue;
      if (auto one = source.at(object, question.current)) return kube_object_reply(source.shown(*std::move(one)), question.view);
    }
    const std::string subject = route.group.empty() ? resource->name : resource->name + "." + route.group;
    return kube_error(kube_status(404, "NotFound", fmt::format("{} {} not found", subject, go_quoted(route.item)),
                                  kube_details(route.item, resource->name, {}, route.group)));
  }
  std::optional<Reply> refusal;
  const auto options = read_list_options(question.model, target, route.collection, refusal);
  if (!options) return *std::move(refusal);
  const ObjectSource source(question, *resource, *options);
  return options->is_watch ? kube_watch(question, *options, source) : list_objects(question, *resource, source);
}

}  // namespace rollcall::sim
