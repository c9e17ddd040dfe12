// The metadata section of a simulation file.
#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/file/file.hpp"

namespace rollcall::sim {

namespace {

struct TpuWorkerDraft {
  std::string node;
  std::int64_t worker = 0;
};

constexpr auto tpu_worker_form =
    file_form<TpuWorkerDraft>("tpu_worker", member<&TpuWorkerDraft::node>("node"), whole<&TpuWorkerDraft::worker>("worker", 0, 65535));

void read_tpu_worker(Model& model, const FileValue& value) {
  TpuWorkerDraft draft;
  read_object(value, tpu_worker_form, draft);
  if (value.has_problem()) return;
  for (const NodeModel& node : model.nodes) {
    if (node.name == draft.node) return add_tpu_worker_metadata(model.metadata, model, node, static_cast<std::size_t>(draft.worker));
  }
  std::vector<std::string_view> names;
  for (const NodeModel& node : model.nodes) names.push_back(node.name);
  const auto close = nearest(draft.node, names);
  value.complain(fmt::format("node: there is no node {}{}", quoted(draft.node), close ? fmt::format(", did you mean '{}'?", *close) : ""));
}

// How a text is shown in JSON depends on the kind of the path's default value.
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

void read_moment_value(MomentOfValue& draft, const FileValue& value) { draft.moment.value = read_value(value, draft.usual); }

constexpr auto value_moment_form =
    file_form<MomentOfValue>("value_moment", member<&MomentOfValue::moment, &MetadataMoment::at>("at"), by<read_moment_value>("value"));

struct TimelineDraft {
  std::vector<MetadataMoment> timeline;
  MetadataKind usual;
};

void read_value_moment(TimelineDraft& draft, const FileValue& value) {
  MomentOfValue entry{{}, draft.usual};
  read_object(value, value_moment_form, entry);
  append_moment(draft.timeline, std::move(entry.moment), value);
}

constexpr auto value_timeline_form =
    file_form<TimelineDraft>("value_timeline", each<read_value_moment, describe<value_moment_form>>("timeline"));

void read_values(Model& model, const FileValue& value) {
  read_entries(value, [&](const std::string& path, const FileValue& one) {
    if (path.empty() || path.starts_with('/') || path.ends_with('/') || path.find("//") != std::string::npos) {
      return value.complain_about_key(path, "expected a path below /computeMetadata/v1/, such as \"instance/attributes/tpu-env\"");
    }
    const auto known = model.metadata.find(path);
    const bool has_kind = known != model.metadata.end() && known->second.front().value;
    TimelineDraft draft{{}, has_kind ? known->second.front().value->kind : MetadataKind::text};
    const json::object* const scripted = one.json().if_object();
    if (scripted && scripted->contains("timeline")) {
      read_object(one, value_timeline_form, draft);
      if (!one.has_problem() && draft.timeline.empty()) return one.complain("timeline: expected at least one entry");
    } else {
      draft.timeline = always(read_value(one, draft.usual));
    }
    model.metadata.insert_or_assign(path, std::move(draft.timeline));
  });
}

constexpr auto metadata_form = file_form<Model>("metadata", member<&Model::requires_flavor>("requires_flavor"),
                                                by<read_tpu_worker, describe<tpu_worker_form>>("tpu_worker"),
                                                by<read_values, describe<value_timeline_form>>("values"));

}  // namespace

void read_metadata_section(Model& model, const FileValue& value) {
  if (const bool* flag = value.json().if_bool()) {
    model.has_metadata_server = *flag;
    return;
  }
  model.metadata = default_metadata(model);
  read_object(value, metadata_form, model);
}

void describe_metadata_section(FileSections& out) { describe<metadata_form>(out); }

}  // namespace rollcall::sim
