// managedFields: the program that set each field, as a tree of field names. More than half of the bytes that an API server sends.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "sim/kubernetes/k8s_api.hpp"

namespace rollcall::sim {

namespace json = boost::json;

namespace {

// A field with owned fields below it.
struct OwnedField {
  std::string_view name;
  std::string_view keys = {};             // of a list: the keys that identify its elements; empty: an object
  std::span<const OwnedField> below = {};
  std::string_view omitted = {};          // fields that are defaults, or have another owner
  bool has_dot = true;                    // the field itself is owned too
  bool has_fields = true;                 // the elements of a list have owned fields
};

constexpr OwnedField resource_fields[] = {{.name = "limits"}};
constexpr OwnedField container_fields[] = {{.name = "env", .keys = "name"},
                                           {.name = "ports", .keys = "containerPort protocol", .omitted = "protocol"},
                                           {.name = "resources", .below = resource_fields, .omitted = "requests claims"}};
constexpr OwnedField spec_fields[] = {{.name = "containers",
                                       .keys = "name",
                                       .below = container_fields,
                                       .omitted = "terminationMessagePath terminationMessagePolicy imagePullPolicy",
                                       .has_dot = false}};
constexpr OwnedField metadata_fields[] = {
    {.name = "annotations"}, {.name = "labels"}, {.name = "ownerReferences", .keys = "uid", .has_fields = false}};
constexpr OwnedField status_fields[] = {{.name = "conditions", .keys = "type"}, {.name = "podIPs", .keys = "ip"}};

constexpr OwnedField metadata_part = {.name = "metadata", .below = metadata_fields, .has_dot = false};
constexpr OwnedField spec_part = {
    .name = "spec", .below = spec_fields, .omitted = "nodeName serviceAccount schedulerName dnsPolicy securityContext", .has_dot = false};
constexpr OwnedField status_part = {.name = "status", .below = status_fields, .has_dot = false};

json::object names_below(const json::value& value, const OwnedField& field);

json::object names_in(const json::object& object, const OwnedField& field, bool has_dot) {
  json::object out;
  if (has_dot) out["."] = json::object();
  for (const auto& [key, value] : object) {
    const std::string_view name = key;
    if (names_word(field.omitted, name)) continue;
    const auto known = std::find_if(field.below.begin(), field.below.end(), [&](const OwnedField& one) { return one.name == name; });
    out[fmt::format("f:{}", name)] = known == field.below.end() ? json::object() : names_below(value, *known);
  }
  return out;
}

// The key of a list's element, made of its identifying fields: `k:{"name":"main"}`.
std::string element_key(const json::object& element, std::string_view keys) {
  json::object out;
  for (const std::string_view name : split(keys, ' ')) {
    if (const json::value* value = element.if_contains(name)) out[name] = *value;
  }
  return "k:" + json::serialize(out);
}

json::object names_below(const json::value& value, const OwnedField& field) {
  if (field.keys.empty()) return value.is_object() ? names_in(value.get_object(), field, field.has_dot) : json::object();
  json::object out;
  if (!value.is_array()) return out;
  if (field.has_dot) out["."] = json::object();
  for (const json::value& one : value.get_array()) {
    if (!one.is_object()) continue;
    const json::object& element = one.get_object();
    out[element_key(element, field.keys)] = field.has_fields ? names_in(element, field, true) : json::object();
  }
  return out;
}

json::object entry(std::string_view manager, std::string_view time, json::object fields) {
  return {{"manager", manager}, {"operation", "Update"},    {"apiVersion", "v1"},
          {"time", time},       {"fieldsType", "FieldsV1"}, {"fieldsV1", std::move(fields)}};
}

}  // namespace

json::array kube_managed_fields(const json::object& pod, std::string_view created, std::string_view changed) {
  const auto part = [&pod](std::string_view name) {
    const json::value* const found = pod.if_contains(name);
    return found && found->is_object() ? *found : json::value();
  };
  const json::value metadata = part("metadata");
  const json::value spec = part("spec");
  const json::value status = part("status");
  json::object set;  // the fields that a controller sets, in the order of their names
  for (const std::string_view name : {"annotations", "generateName", "labels", "ownerReferences"}) {
    const json::value* const found = metadata.is_object() ? metadata.get_object().if_contains(name) : nullptr;
    if (found) set[name] = *found;
  }
  json::object made{{"f:metadata", names_below(set, metadata_part)}};
  if (spec.is_object()) made["f:spec"] = names_below(spec, spec_part);
  json::array out{entry("kube-controller-manager", created, std::move(made))};
  if (spec.is_object() && spec.get_object().contains("nodeName")) {
    out.push_back(entry("kube-scheduler", created, {{"f:spec", {{"f:nodeName", json::object()}}}}));
  }
  if (status.is_object() && status.get_object().contains("conditions")) {
    json::object kubelet = entry("kubelet", changed, {{"f:status", names_below(status, status_part)}});
    kubelet["subresource"] = "status";
    out.push_back(std::move(kubelet));
  }
  return out;
}

}  // namespace rollcall::sim
