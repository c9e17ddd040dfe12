// The discovery document of the simulated API, from which Google's generic clients build their calls.
#include <fmt/format.h>

#include "sim/tpu/tpu_api.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

// The parts that do not depend on the version. Empty fields are filled in.
constexpr std::string_view sample = R"({
  "kind": "discovery#restDescription", "discoveryVersion": "v1", "id": "", "name": "tpu", "version": "", "title": "Cloud TPU API",
  "description": "TPU API provides customers with access to Google TPU technology.", "protocol": "rest", "rootUrl": "", "baseUrl": "",
  "servicePath": "", "basePath": "", "batchPath": "batch", "fullyEncodeReservedExpansion": true,
  "parameters": {
    "$.xgafv": {"type": "string", "location": "query", "description": "V1 error format."},
    "access_token": {"type": "string", "location": "query", "description": "OAuth access token."},
    "alt": {"type": "string", "location": "query", "description": "Data format for response."},
    "fields": {"type": "string", "location": "query", "description": "Selector specifying which fields to include in a partial response."},
    "key": {"type": "string", "location": "query", "description": "API key."},
    "quotaUser": {"type": "string", "location": "query", "description": "Available to use for quota purposes."},
    "prettyPrint": {
      "type": "boolean", "location": "query", "description": "Returns response with indentations and line breaks.", "default": "true"
    }
  },
  "auth": {
    "oauth2": {
      "scopes": {
        "https://www.googleapis.com/auth/cloud-platform": {"description": "See, edit, configure, and delete your Google Cloud data."}
      }
    }
  },
  "schemas": {}, "resources": {}
})";

constexpr std::string_view paging = R"({
  "pageSize": {"type": "integer", "location": "query", "description": "The maximum number of items to return.", "format": "int32"},
  "pageToken": {"type": "string", "location": "query", "description": "The nextPageToken of the answer before."}
})";
constexpr std::string_view filtering = R"({
  "filter": {"type": "string", "location": "query", "description": "List filter."},
  "orderBy": {"type": "string", "location": "query", "description": "Sort results."}
})";

struct Method {
  std::string id;
  std::string_view name;  // of the parameter for the resource
  std::string pattern;
  std::string path;
  std::string response;
  bool has_pages = false;
  bool has_filter = false;
};

json::object method_json(std::string_view version, const Method& method) {
  json::object parameters{{method.name,
                           {{"type", "string"},
                            {"location", "path"},
                            {"description", "Required. The resource name."},
                            {"required", true},
                            {"pattern", method.pattern}}}};
  if (method.has_pages) apply_raw(parameters, json::parse(paging).as_object());
  if (method.has_filter) apply_raw(parameters, json::parse(filtering).as_object());
  const std::string path = fmt::format("{}/{}", version, method.path);
  return {{"id", method.id},
          {"httpMethod", "GET"},
          {"path", path},
          {"flatPath", path},
          {"parameterOrder", json::array{method.name}},
          {"parameters", std::move(parameters)},
          {"response", {{"$ref", method.response}}},
          {"scopes", json::array{"https://www.googleapis.com/auth/cloud-platform"}}};
}

json::object collection(std::string_view version, std::string_view plural, std::string_view message) {
  const std::string id = fmt::format("tpu.projects.locations.{}.", plural);
  const std::string pattern = fmt::format("^projects/[^/]+/locations/[^/]+/{}/[^/]+$", plural);
  const bool has_filter = plural != "nodes" && plural != "queuedResources";
  const Method get{id + "get", "name", pattern, "{+name}", std::string(message)};
  const Method list{id + "list",
                    "parent",
                    "^projects/[^/]+/locations/[^/]+$",
                    fmt::format("{{+parent}}/{}", plural),
                    fmt::format("List{}sResponse", message),
                    true,
                    has_filter};
  return {{"methods", {{"get", method_json(version, get)}, {"list", method_json(version, list)}}}};
}

void add_schemas(json::object& schemas, std::string_view plural, std::string_view message) {
  const std::string list = fmt::format("List{}sResponse", message);
  schemas[message] = json::object{{"id", message}, {"type", "object"}, {"additionalProperties", {{"type", "any"}}}};
  // With this schema clients recognise a list with pages, and offer to fetch the next one.
  json::object properties{{plural, {{"type", "array"}, {"items", {{"$ref", message}}}}},
                          {"nextPageToken", {{"type", "string"}}},
                          {"unreachable", {{"type", "array"}, {"items", {{"type", "string"}}}}}};
  schemas[list] = json::object{{"id", list}, {"type", "object"}, {"properties", std::move(properties)}};
}

}  // namespace

Reply answer_discovery(const Request& request, const Route& route) {
  const std::string& version = route.version;
  if (version != "v1" && version != "v2" && version != "v2alpha1")
    return google_error(404, "Discovery document not found for API service: tpu.googleapis.com");
  const bool is_v1 = version == "v1";
  const std::string_view versions = is_v1 ? "tensorflowVersions" : "runtimeVersions";
  const std::string_view versions_message = is_v1 ? "TensorFlowVersion" : "RuntimeVersion";

  json::object nested{{"nodes", collection(version, "nodes", "Node")},
                      {"acceleratorTypes", collection(version, "acceleratorTypes", "AcceleratorType")},
                      {versions, collection(version, versions, versions_message)}};
  if (!is_v1) nested["queuedResources"] = collection(version, "queuedResources", "QueuedResource");
  nested["operations"] = collection(version, "operations", "Operation");
  const Method get{"tpu.projects.locations.get", "name", "^projects/[^/]+/locations/[^/]+$", "{+name}", "Location"};
  const Method list{"tpu.projects.locations.list", "name", "^projects/[^/]+$", "{+name}/locations", "ListLocationsResponse", true, true};
  json::object locations{{"methods", {{"get", method_json(version, get)}, {"list", method_json(version, list)}}},
                         {"resources", std::move(nested)}};

  json::object schemas;
  add_schemas(schemas, "nodes", "Node");
  if (!is_v1) add_schemas(schemas, "queuedResources", "QueuedResource");
  add_schemas(schemas, "acceleratorTypes", "AcceleratorType");
  add_schemas(schemas, versions, versions_message);
  add_schemas(schemas, "operations", "Operation");
  add_schemas(schemas, "locations", "Location");

  json::object out = json::parse(sample).as_object();
  out["id"] = "tpu:" + version;
  out["version"] = version;
  out["rootUrl"] = out["baseUrl"] = json::string(fmt::format("{}://{}/", request.is_https ? "https" : "http", request.host));
  out["schemas"] = std::move(schemas);
  out["resources"] = json::object{{"projects", {{"resources", {{"locations", std::move(locations)}}}}}};
  return json_reply(out, true);
}

}  // namespace rollcall::sim
