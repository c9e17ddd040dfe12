#include "resolvers/tpu/wire/worker_version.hpp"

#include "json/json_dom.hpp"

namespace rollcall {

Result<std::optional<std::string>> parse_worker_version(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the worker's version", json, limits);
  if (!document) return document.error();
  if (!document->root().is_object()) return Failure(Errc::malformed_response, "the worker's version is no JSON object");
  const boost::json::value* version = find(document->root(), "currentVersion");
  if (!version) return std::optional<std::string>();
  if (!version->is_string()) return Failure(Errc::malformed_response, "the worker's currentVersion is no text");
  return std::optional<std::string>(std::string(version->get_string()));
}

}  // namespace rollcall
