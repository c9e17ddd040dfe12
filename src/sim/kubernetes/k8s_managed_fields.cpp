// managedFields: which program set which field, as a tree of field names. More than half of what an API server sends.
#include <fmt/format.h>

#include "sim/kubernetes/k8s_api.hpp"

namespace rollcall::sim {

namespace json = boost::json;

namespace {

json::object dot() { return {{".", json::object()}}; }

// The element of a list that is told apart by some of its keys: `k:{"name":"main"}`.
std::string element_key(const json::object& element, std::initializer_list<std::string_view> keys) {
  json::object key;
  for (const std::string_view name : keys) {
    if (const json::value* value = element.if_contains(name)) key[name] = *value;
  }
  return "k:" + json::serialize(key);
}

json::object names_of_fields(const json::object& object) {
  json::object out;
  for (const auto& [key, value] : object) out[fmt::format("f:{}", std::string_view(key))] = json::object();
  return out;
}

json::object with_dot(json::object fields) {
  json::object out = dot();
  for (auto& [key, value] : fields) out[key] = std::move(value);
  return out;
}

json::object fields_of_list(const json::array& list, std::initializer_list<std::string_view> keys, std::string_view unset = {}) {
  json::object out = dot();
  for (const json::value& one : list) {
    if (!one.is_object()) continue;
    json::object fields = names_of_fields(one.get_object());
    if (!unset.empty()) fields.erase(unset);
    out[element_key(one.get_object(), keys)] = with_dot(std::move(fields));
  }
  return out;
}

json::object container_fields(const json::object& container) {
  json::object out;
  for (const auto& [key, value] : container) {
    json::value fields = json::object();
    const std::string_view name = key;
    if (name.starts_with("termination") || name == "imagePullPolicy") continue;  // defaults: nobody set them
    if (name == "env" && value.is_array()) fields = fields_of_list(value.get_array(), {"name"});
    if (name == "ports" && value.is_array()) fields = fields_of_list(value.get_array(), {"containerPort", "protocol"}, "f:protocol");
    if (name == "resources" && value.is_object()) {
      json::object resources = dot();
      const json::value* const limits = value.get_object().if_contains("limits");
      if (limits && limits->is_object()) resources["f:limits"] = with_dot(names_of_fields(limits->get_object()));
      fields = std::move(resources);
    }
    out[fmt::format("f:{}", name)] = std::move(fields);
  }
  return out;
}

json::object spec_fields(const json::object& spec) {
  json::object out;
  for (const auto& [key, value] : spec) {
    const std::string_view name = key;
    if (name == "nodeName" || name == "serviceAccount" || name == "schedulerName" || name == "dnsPolicy" || name == "securityContext")
      continue;
    json::value fields = json::object();
    if (name == "containers" && value.is_array()) {
      json::object all;
      for (const json::value& one : value.get_array()) {
        if (one.is_object()) all[element_key(one.get_object(), {"name"})] = with_dot(container_fields(one.get_object()));
      }
      fields = std::move(all);
    }
    out[fmt::format("f:{}", name)] = std::move(fields);
  }
  return out;
}

json::object metadata_fields(const json::object& metadata) {
  json::object out;
  for (const std::string_view name : {"annotations", "generateName", "labels", "ownerReferences"}) {
    const json::value* const value = metadata.if_contains(name);
    if (!value) continue;
    json::value fields = json::object();
    if (value->is_object()) fields = with_dot(names_of_fields(value->get_object()));
    if (value->is_array()) {
      json::object owners = dot();
      for (const json::value& one : value->get_array()) {
        if (one.is_object()) owners[element_key(one.get_object(), {"uid"})] = json::object();
      }
      fields = std::move(owners);
    }
    out[fmt::format("f:{}", name)] = std::move(fields);
  }
  return out;
}

json::object status_fields(const json::object& status) {
  json::object out;
  for (const auto& [key, value] : status) {
    json::value fields = json::object();
    const std::string_view name = key;
    if (name == "conditions" && value.is_array()) fields = fields_of_list(value.get_array(), {"type"});
    if (name == "podIPs" && value.is_array()) fields = fields_of_list(value.get_array(), {"ip"});
    out[fmt::format("f:{}", name)] = std::move(fields);
  }
  return out;
}

json::object entry(std::string_view manager, std::string_view time, std::string_view part, json::object fields) {
  return {{"manager", manager}, {"operation", "Update"},    {"apiVersion", "v1"},
          {"time", time},       {"fieldsType", "FieldsV1"}, {"fieldsV1", json::object{{part, std::move(fields)}}}};
}

const json::object* part_of(const json::object& pod, std::string_view name) {
  const json::value* const part = pod.if_contains(name);
  return part ? part->if_object() : nullptr;
}

}  // namespace

json::array kube_managed_fields(const json::object& pod, std::string_view created, std::string_view changed) {
  json::array out;
  const json::object* const metadata = part_of(pod, "metadata");
  const json::object* const spec = part_of(pod, "spec");
  const json::object* const status = part_of(pod, "status");
  json::object made = entry("kube-controller-manager", created, "f:metadata", metadata ? metadata_fields(*metadata) : json::object());
  if (spec) made["fieldsV1"].as_object()["f:spec"] = spec_fields(*spec);
  out.push_back(std::move(made));
  if (spec && spec->contains("nodeName")) {
    out.push_back(entry("kube-scheduler", created, "f:spec", {{"f:nodeName", json::object()}}));
  }
  if (status && status->contains("conditions")) {
    json::object kubelet = entry("kubelet", changed, "f:status", status_fields(*status));
    kubelet["subresource"] = "status";
    out.push_back(std::move(kubelet));
  }
  return out;
}

}  // namespace rollcall::sim
