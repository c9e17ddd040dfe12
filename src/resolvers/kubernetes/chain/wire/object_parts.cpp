#include "resolvers/kubernetes/chain/wire/object_parts.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_parts = 100;

}  // namespace

const KubeCondition* find_condition(const std::vector<KubeCondition>& conditions, std::string_view type) {
  const auto found = std::find_if(conditions.begin(), conditions.end(), [type](const KubeCondition& one) { return one.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

std::string text_at(const boost::json::value& object, std::string_view key, std::size_t max_bytes) {
  const std::optional<std::string_view> text = find_text(object, key);
  return text ? printable(*text, max_bytes) : std::string();
}

std::string text_at(const boost::json::value& object, std::string_view first, std::string_view second, std::size_t max_bytes) {
  const boost::json::value* const inner = find(object, first);
  return inner ? text_at(*inner, second, max_bytes) : std::string();
}

std::optional<WallTime> time_at(const boost::json::value& object, std::string_view key) {
  const std::optional<std::string_view> text = find_text(object, key);
  return text ? parse_rfc3339(*text) : std::nullopt;
}

bool is_true_at(const boost::json::value& object, std::string_view key) {
  const boost::json::value* const flag = find(object, key);
  return flag && flag->is_bool() && flag->get_bool();
}

std::optional<std::int64_t> number_at(const boost::json::value& object, std::string_view key) {
  const boost::json::value* const number = find(object, key);
  if (!number || !number->is_int64()) return std::nullopt;
  return number->get_int64();
}

const boost::json::array* array_at(const boost::json::value& object, std::string_view key) {
  const boost::json::value* const list = find(object, key);
  return list ? list->if_array() : nullptr;
}

std::vector<KubeCondition> conditions_at(const boost::json::value& object) {
  std::vector<KubeCondition> conditions;
  const boost::json::value* const status = find(object, "status");
  const boost::json::array* const list = status ? array_at(*status, "conditions") : nullptr;
  for (std::size_t i = 0; list && i < std::min(list->size(), max_parts); ++i) {
    const boost::json::value& one = (*list)[i];
    KubeCondition& condition = conditions.emplace_back();
    condition.type = text_at(one, "type");
    condition.status = text_at(one, "status", 16);
    condition.reason = text_at(one, "reason");
    condition.message = text_at(one, "message", max_cause_text);
    condition.since = time_at(one, "lastTransitionTime");
  }
  return conditions;
}

KubeObject object_of(const boost::json::value& document) {
  KubeObject object;
  object.api_version = text_at(document, "apiVersion");
  object.kind = text_at(document, "kind", 64);
  const boost::json::value* const spec = find(document, "spec");
  if (spec) {
    const boost::json::value* const policy = find(*spec, "runPolicy");
    object.is_suspended = is_true_at(*spec, "suspend") || (policy && is_true_at(*policy, "suspend"));
  }
  const boost::json::value* const metadata = find(document, "metadata");
  if (!metadata) return object;
  object.namespace_name = text_at(*metadata, "namespace");
  object.name = text_at(*metadata, "name");
  object.uid = text_at(*metadata, "uid", 128);
  object.created = time_at(*metadata, "creationTimestamp");
  object.queue = text_at(*metadata, "labels", "kueue.x-k8s.io/queue-name", max_name_text);
  const boost::json::array* const owners = array_at(*metadata, "ownerReferences");
  for (std::size_t i = 0; owners && i < std::min(owners->size(), max_parts); ++i) {
    const boost::json::value& owner = (*owners)[i];
    if (!is_true_at(owner, "controller")) continue;
    object.owner_api_version = text_at(owner, "apiVersion");
    object.owner_kind = text_at(owner, "kind", 64);
    object.owner_name = text_at(owner, "name");
    object.owner_uid = text_at(owner, "uid", 128);
    break;
  }
  return object;
}

Result<KubeObject> parse_object(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the object", json, limits);
  if (!document) return document.error();
  if (!document->root().is_object()) return Failure(Errc::malformed_response, "the object is none");
  return object_of(document->root());
}

std::map<std::string, std::string> resources_at(const boost::json::value& object, std::string_view key) {
  std::map<std::string, std::string> resources;
  const boost::json::object* const list = find_object(object, key);
  if (!list) return resources;
  for (const auto& [name, quantity] : *list) {
    if (resources.size() >= max_parts) break;
    if (quantity.is_string()) {
      resources.emplace(printable(name, max_name_text), printable(quantity.get_string(), 64));
    } else if (quantity.is_int64()) {
      resources.emplace(printable(name, max_name_text), std::to_string(quantity.get_int64()));
    }
  }
  return resources;
}

std::optional<std::int64_t> whole_devices(std::string_view quantity) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  const bool is_thousands = quantity.ends_with('k');
  if (is_thousands) quantity.remove_suffix(1);
  const std::optional<std::int64_t> number = parse_decimal<std::int64_t>(quantity, 0, most);
  return number && is_thousands ? *number * 1000 : number;
}

}  // namespace rollcall
