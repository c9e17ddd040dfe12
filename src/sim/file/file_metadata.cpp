// The metadata section of a simulation file.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "sim/file/file.hpp"

namespace rollcall::sim {

namespace {

struct TpuWorkerDraft {
  std::string node;
  std::int64_t worker = 0;
};

constexpr std::array<FileKey<TpuWorkerDraft>, 2> tpu_worker_keys = {{
    member<&TpuWorkerDraft::node>("node"),
    whole<0, 65535, &TpuWorkerDraft::worker>("worker"),
}};

void read_tpu_worker(Model& model, const FileValue& value) {
  TpuWorkerDraft draft;
  read_object<TpuWorkerDraft>(value, tpu_worker_keys, draft);
  if (value.has_problem()) return;
  for (const NodeModel& node : model.nodes) {
    if (node.name == draft.node) return add_tpu_worker_metadata(model.metadata, model, node, static_cast<std::size_t>(draft.worker));
  }
  std::vector<std::string_view> names;
  for (const NodeModel& node : model.nodes) names.push_back(node.name);
  const auto close = nearest(draft.node, names);
  value.complain(fmt::format("node: there is no node {}{}", quoted(draft.node), close ? fmt::format(", did you mean '{}'?", *close) : ""));
}

// The kind of value that the path has by default decides how text is shown in JSON.
std::optional<MetadataValue> read_value(const FileValue& value, MetadataKind usual) {
  const json::value& json = value.json();
  if (json.is_null()) return std::nullopt;
  MetadataValue out;
  if (json.is_string()) {
    value.read(out.text);
    out.kind = usual == MetadataKind::list || usual == MetadataKind::json ? usual : MetadataKind::text;
  } else if (const bool* flag = json.if_bool()) {
    out.text = *flag ? "TRUE" : "FALSE";
  } else if (json.is_int64() || json.is_uint64()) {
    out.text = json::serialize(json);
    out.kind = MetadataKind::number;
  } else if (json.is_array()) {
    std::vector<std::string> lines;
    value.read(lines);
    out.text = fmt::format("{}", fmt::join(lines, "\n"));
    out.kind = MetadataKind::list;
  } else if (const auto* object = json.if_object(); object && object->size() == 1 && object->contains("json")) {
    out.text = json::serialize(object->at("json"));
    out.kind = MetadataKind::json;
  } else {
    value.complain("expected a text, a whole number, true or false, a list of texts, null, {\"json\": …} or {\"timeline\": […]}");
  }
  return out;
}

struct MomentOfValue {
  MetadataMoment moment;
  MetadataKind usual;
};

constexpr std::array<FileKey<MomentOfValue>, 2> value_moment_keys = {{
    member<&MomentOfValue::moment, &MetadataMoment::at>("at"),
    {"value", [](MomentOfValue& draft, const FileValue& value) { draft.moment.value = read_value(value, draft.usual); }},
}};

struct TimelineDraft {
  std::vector<MetadataMoment> timeline;
  MetadataKind usual;
};

constexpr std::array<FileKey<TimelineDraft>, 1> timeline_keys = {{
    {"timeline",
     [](TimelineDraft& draft, const FileValue& value) {
       read_list(value, [&draft](const FileValue& one) {
         MomentOfValue entry{{}, draft.usual};
         read_object<MomentOfValue>(one, value_moment_keys, entry);
         append_moment(draft.timeline, std::move(entry.moment), one);
       });
     }},
}};

void read_values(Model& model, const FileValue& value) {
  const json::object* const object = value.object();
  if (!object) return;
  for (const auto& entry : *object) {
    if (value.has_problem()) return;
    const std::string path(entry.key());
    if (path.empty() || path.starts_with('/') || path.ends_with('/') || path.find("//") != std::string::npos) {
      return value.complain_about_key(path, "expected a path below /computeMetadata/v1/, such as \"instance/attributes/tpu-env\"");
    }
    const FileValue one = value.child(path, entry.value());
    const auto known = model.metadata.find(path);
    const bool has_kind = known != model.metadata.end() && known->second.front().value;
    TimelineDraft draft{{}, has_kind ? known->second.front().value->kind : MetadataKind::text};
    const json::object* const scripted = entry.value().if_object();
    if (scripted && scripted->contains("timeline")) {
      read_object<TimelineDraft>(one, timeline_keys, draft);
      if (!one.has_problem() && draft.timeline.empty()) return one.complain("timeline: expected at least one entry");
    } else {
      draft.timeline = always(read_value(one, draft.usual));
    }
    model.metadata.insert_or_assign(path, std::move(draft.timeline));
  }
}

constexpr std::array<FileKey<Model>, 3> metadata_keys = {{
    member<&Model::requires_flavor>("requires_flavor"),
    {"tpu_worker", read_tpu_worker},
    {"values", read_values},
}};

}  // namespace

void read_metadata_section(Model& model, const FileValue& value) {
  if (const bool* flag = value.json().if_bool()) {
    model.has_metadata_server = *flag;
    return;
  }
  model.metadata = default_metadata(model);
  read_object<Model>(value, metadata_keys, model);
}

FileSections metadata_sections() {
  return {{"metadata", names_of(metadata_keys)},
          {"tpu_worker", names_of(tpu_worker_keys)},
          {"value_timeline", names_of(timeline_keys)},
          {"value_moment", names_of(value_moment_keys)}};
}

}  // namespace rollcall::sim
