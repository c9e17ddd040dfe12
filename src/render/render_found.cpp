#include "render/render_found.hpp"

#include "base/append_formatted.hpp"
#include "json/json_text.hpp"

namespace rollcall {

std::string render_found_json(const Found& found, std::string_view kind) {
  std::string out = "{";
  append_json_field(out, "kind", kind);
  append_json_field(out, "name", found.name);
  append_json_field(out, "project", found.project);
  append_json_field(out, "zone", found.zone);
  append_json_field(out, "target", found.target);
  append_json_field(out, "state", found.state);
  append_json_field(out, "health", found.health);
  append_json_field(out, "accelerator_type", found.accelerator_type);
  append_formatted(out, ",\"members\":{},\"addresses\":[", found.members);
  for (std::size_t i = 0; i < found.addresses.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(out, found.addresses[i]);
  }
  out += ']';
  append_json_field(out, "queued_resource", found.queued_resource);
  append_json_field(out, "namespace", found.namespace_name);
  append_json_field(out, "workload", found.workload);
  append_json_field(out, "expected_source", found.expected_source);
  if (found.kind == FoundKind::slurm_job) {
    append_json_field(out, "user", found.user);
    append_json_field(out, "partition", found.partition);
    if (found.accelerators) append_formatted(out, ",\"accelerators\":{}", *found.accelerators);
  }
  return out + "}";
}

std::string render_missing_json(const TargetFailure& failure) {
  const std::string fields = render_failure_json(failure);
  return "{\"kind\":\"failure\"," + fields.substr(1);
}

}  // namespace rollcall
