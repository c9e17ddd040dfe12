#include "resolvers/kubernetes/chain/wire/pod_group.hpp"

#include "json/json_dom.hpp"

namespace rollcall {

Result<PodGroup> parse_pod_group(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the pod group", json, limits);
  if (!document) return document.error();
  const boost::json::value& root = document->root();
  PodGroup group;
  group.object = object_of(root);
  if (group.object.name.empty()) return Failure(Errc::malformed_response, "the pod group: metadata.name is missing");
  if (group.object.kind.empty()) group.object.kind = "PodGroup";
  group.conditions = conditions_at(root);
  group.phase = text_at(root, "status", "phase", 64);
  const boost::json::value* const spec = find(root, "spec");
  if (!spec) return group;
  group.queue = text_at(*spec, "queue");
  group.minimum = number_at(*spec, "minMember").value_or(0);
  const boost::json::value* const policy = find(*spec, "schedulingPolicy");
  const boost::json::value* const gang = policy ? find(*policy, "gang") : nullptr;
  if (gang) group.minimum = number_at(*gang, "minCount").value_or(0);
  return group;
}

}  // namespace rollcall
