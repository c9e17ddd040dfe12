// Objects of the section `kubernetes` that are written as the API shows them, one by one or as a list.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "sim/file/k8s_draft.hpp"
#include "sim/wire/k8s_names.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

constexpr std::size_t max_objects = 100'000;

std::string_view text_in(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

KubeTexts labels_in(const json::object& object) {
  KubeTexts out;
  const json::value* const metadata = object.if_contains("metadata");
  const json::value* const labels = metadata && metadata->is_object() ? metadata->get_object().if_contains("labels") : nullptr;
  if (!labels || !labels->is_object()) return out;
  for (const auto& [key, value] : labels->get_object()) {
    if (const json::string* text = value.if_string()) out.emplace(std::string(key), std::string(text->data(), text->size()));
  }
  return out;
}

// The whole object at each time.
struct WrittenState {
  Duration at{0};
  std::shared_ptr<const json::object> json;  // null: deleted
};

std::vector<WrittenState> written_states(const json::object& first, const KubeObjectDraft& draft) {
  std::vector<WrittenState> out(1);
  out.front().at = draft.created_at.value_or(Duration(0));
  out.front().json = std::make_shared<const json::object>(first);
  json::object now = first;
  for (const KubeObjectDraft::Change& change : draft.timeline) {
    if (!change.is_deletion) merge_json(now, change.patch);
    out.push_back({change.at, change.is_deletion ? nullptr : std::make_shared<const json::object>(now)});
  }
  return out;
}

// Gives the object what every object has.
std::optional<std::string> complete_object(const KubernetesModel& model, const KubeObjectDraft& draft, json::object& object) {
  const std::string kind(text_in(object, "kind"));
  if (kind.empty() || text_in(object, "apiVersion").empty()) return "an object needs apiVersion and kind";
  if (!object.contains("metadata")) object["metadata"] = json::object();
  if (!object.at("metadata").is_object()) return "metadata: expected an object";
  json::object& metadata = object.at("metadata").get_object();
  const std::string name(text_in(metadata, "name"));
  if (name.empty() || printable_line(name) != name || name.find('/') != std::string::npos) return "metadata.name: an object needs a name";
  if (is_kube_cluster_kind(kind)) {
    metadata.erase("namespace");
  } else {
    const std::string given(text_in(metadata, "namespace"));
    if (!given.empty() && !is_dns_label(given)) return fmt::format("metadata.namespace: {} is no name of a namespace", quoted(given, 80));
    if (given.empty()) metadata["namespace"] = model.default_namespace;
  }
  const Duration created = draft.created_at.value_or(Duration(0));
  const std::string from = fmt::format("{}/{}/{}", text_in(metadata, "namespace"), kind, name);
  if (text_in(metadata, "uid").empty()) metadata["uid"] = uuid_of(from);
  if (text_in(metadata, "creationTimestamp").empty())
    metadata["creationTimestamp"] = format_rfc3339(model.start + std::chrono::floor<std::chrono::seconds>(created));
  metadata["resourceVersion"] = "";  // its place: each state has its own
  return std::nullopt;
}

std::optional<std::string> add_written_pod(KubeDraft& into, const json::object& object, const std::vector<WrittenState>& states) {
  const json::object& metadata = object.at("metadata").get_object();
  static const auto no_set = std::make_shared<const KubePodSet>();
  static const auto no_texts = std::make_shared<const KubeTexts>();
  KubePod pod;
  pod.set = no_set;
  pod.annotations = no_texts;
  pod.namespace_name = text_in(metadata, "namespace");
  pod.name = text_in(metadata, "name");
  if (!is_dns_subdomain(pod.name)) return fmt::format("metadata.name: {} is no name of a pod", quoted(pod.name, 80));
  if (!into.keys.insert(pod.namespace_name + "/" + pod.name).second)
    return fmt::format("there are two pods {}/{}", pod.namespace_name, pod.name);
  for (const WrittenState& written : states) {
    KubePodState& state = pod.states.emplace_back();
    state.at = state.created = state.changed = written.at;
    state.is_gone = !written.json;
    state.is_whole = true;
    state.raw = written.json ? written.json : pod.states[pod.states.size() - 2].raw;
    state.labels = std::make_shared<const KubeTexts>(labels_in(*state.raw));
  }
  into.model.pods.push_back(std::move(pod));
  return std::nullopt;
}

constexpr auto object_moment_form = file_form<KubeObjectDraft::Change>(
    "kubernetes_object_moment", member<&KubeObjectDraft::Change::at>("at"), member<&KubeObjectDraft::Change::patch>("patch"),
    member<&KubeObjectDraft::Change::is_deletion>("deleted"));

void read_object_moment(KubeObjectDraft& draft, const FileValue& value) {
  KubeObjectDraft::Change change;
  read_object(value, object_moment_form, change);
  append_moment(draft.timeline, std::move(change), value);
}

constexpr auto object_form = file_form<KubeObjectDraft>("kubernetes_object", member<&KubeObjectDraft::object>("object"),
                                                        member<&KubeObjectDraft::created_at>("created_at"),
                                                        each<read_object_moment, describe<object_moment_form>>("timeline"));

// The items of a list have no kind of their own where the API has compiled it in.
void read_items(KubeDraft& draft, const FileValue& value, const json::object& list) {
  std::string kind(text_in(list, "kind"));
  if (kind.ends_with("List")) kind.resize(kind.size() - 4);
  read_list(value.child("items", list.at("items")), [&](const FileValue& one) {
    KubeObjectDraft item;
    one.read(item.object);
    if (one.has_problem()) return;
    if (text_in(item.object, "kind").empty()) item.object["kind"] = kind;
    if (text_in(item.object, "apiVersion").empty()) item.object["apiVersion"] = text_in(list, "apiVersion");
    if (auto wrong = kube_add_object(draft, item)) one.complain(*std::move(wrong));
  });
}

}  // namespace

std::optional<std::string> kube_add_object(KubeDraft& into, const KubeObjectDraft& draft) {
  json::object object = draft.object;
  if (auto wrong = complete_object(into.model, draft, object)) return wrong;
  if (into.model.objects.size() + into.model.pods.size() >= max_objects)
    return fmt::format("at most {} objects and pods in all", max_objects);
  constexpr std::size_t max_bytes = 64 * 1024 * 1024;  // each state is a whole object
  if (draft.timeline.size() > 1 && json::serialize(object).size() * draft.timeline.size() > max_bytes)
    return "timeline: too many changes of so large an object";
  const std::vector<WrittenState> states = written_states(object, draft);
  const std::string_view api_version = text_in(object, "apiVersion");
  KubeObject out;
  out.kind = text_in(object, "kind");
  if (out.kind == "Pod" && api_version == "v1") return add_written_pod(into, object, states);
  const std::size_t slash = api_version.find('/');
  out.group = slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  out.version = slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  out.resource = kube_resource(out.kind);
  out.namespace_name = text_in(object.at("metadata").get_object(), "namespace");
  out.name = text_in(object.at("metadata").get_object(), "name");
  if (!into.object_keys.insert(fmt::format("{}/{}/{}/{}", out.group, out.resource, out.namespace_name, out.name)).second)
    return fmt::format("there are two {} {}", out.kind, quoted(out.name, 80));
  for (const WrittenState& written : states) out.states.push_back({written.at, 0, !written.json, written.json});
  for (std::size_t i = 1; i < out.states.size(); ++i) {
    if (out.states[i].is_gone) out.states[i].json = out.states[i - 1].json;
  }
  into.model.objects.push_back(std::move(out));
  return std::nullopt;
}

void read_kube_object(KubeDraft& draft, const FileValue& value) {
  const json::object* const given = value.object();
  if (!given) return;
  if (given->contains("items") && !given->contains("object")) return read_items(draft, value, *given);
  KubeObjectDraft object;
  if (given->contains("apiVersion")) {
    object.object = *given;
  } else {
    read_object(value, object_form, object);
  }
  if (value.has_problem()) return;
  if (!object.timeline.empty() && object.timeline.front().at <= object.created_at.value_or(Duration(0)))
    return value.complain("timeline: the first entry must come after the creation");
  if (auto wrong = kube_add_object(draft, object)) value.complain(*std::move(wrong));
}

void describe_kube_object(FileSections& out) { describe<object_form>(out); }

}  // namespace rollcall::sim
