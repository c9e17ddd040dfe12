// The discovery document of the simulated API: what Google's generic clients need to build the calls that it serves.
#include <fmt/format.h>

#include "sim/tpu/tpu_api.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

json::object parameter(std::string_view location, std::string_view description) {
  json::object out;
  out["type"] = "string";
  out["location"] = location;
  out["description"] = description;
  return out;
}

json::object path_parameter(std::string_view description, std::string_view pattern) {
  json::object out = parameter("path", description);
  out["required"] = true;
  out["pattern"] = pattern;
  return out;
}

json::object method(std::string_view version, std::string_view id, std::string_view name, std::string_view pattern, std::string_view path,
                    std::string_view response, json::object extra) {
  json::object out;
  out["id"] = id;
  out["httpMethod"] = "GET";
  out["path"] = fmt::format("{}/{}", version, path);
  out["flatPath"] = out["path"];
  json::array order;
  order.push_back(json::string(name));
  out["parameterOrder"] = std::move(order);
  json::object parameters;
  parameters[name] = path_parameter("Required. The resource name.", pattern);
  for (auto& [key, value] : extra) parameters[key] = value;
  out["parameters"] = std::move(parameters);
  json::object reference;
  reference["$ref"] = response;
  out["response"] = std::move(reference);
  json::array scopes;
  scopes.push_back("https://www.googleapis.com/auth/cloud-platform");
  out["scopes"] = std::move(scopes);
  return out;
}

json::object paging(bool has_filter) {
  json::object out;
  json::object size = parameter("query", "The maximum number of items to return.");
  size["type"] = "integer";
  size["format"] = "int32";
  out["pageSize"] = std::move(size);
  out["pageToken"] = parameter("query", "The nextPageToken of the answer before.");
  if (has_filter) {
    out["filter"] = parameter("query", "List filter.");
    out["orderBy"] = parameter("query", "Sort results.");
  }
  return out;
}

json::object collection(std::string_view version, std::string_view plural, std::string_view message) {
  const std::string id = fmt::format("tpu.projects.locations.{}.", plural);
  json::object methods;
  methods["get"] =
      method(version, id + "get", "name", fmt::format("^projects/[^/]+/locations/[^/]+/{}/[^/]+$", plural), "{+name}", message, {});
  methods["list"] = method(version, id + "list", "parent", "^projects/[^/]+/locations/[^/]+$", fmt::format("{{+parent}}/{}", plural),
                           fmt::format("List{}sResponse", message), paging(plural != "nodes" && plural != "queuedResources"));
  json::object out;
  out["methods"] = std::move(methods);
  return out;
}

json::object free_form(std::string_view id) {
  json::object any;
  any["type"] = "any";
  json::object out;
  out["id"] = id;
  out["type"] = "object";
  out["additionalProperties"] = std::move(any);
  return out;
}

// Clients read from this schema that a list has pages, and offer to fetch the next one.
json::object list_schema(std::string_view id, std::string_view plural, std::string_view message) {
  json::object reference;
  reference["$ref"] = message;
  json::object items;
  items["type"] = "array";
  items["items"] = std::move(reference);
  json::object text;
  text["type"] = "string";
  json::object texts;
  texts["type"] = "array";
  texts["items"] = text;
  json::object properties;
  properties[plural] = std::move(items);
  properties["nextPageToken"] = std::move(text);
  properties["unreachable"] = std::move(texts);
  json::object out;
  out["id"] = id;
  out["type"] = "object";
  out["properties"] = std::move(properties);
  return out;
}

json::object common_parameters() {
  json::object out;
  for (const auto& [name, description] : {std::pair<std::string_view, std::string_view>{"$.xgafv", "V1 error format."},
                                          {"access_token", "OAuth access token."},
                                          {"alt", "Data format for response."},
                                          {"fields", "Selector specifying which fields to include in a partial response."},
                                          {"key", "API key."},
                                          {"quotaUser", "Available to use for quota purposes."}}) {
    out[name] = parameter("query", description);
  }
  json::object pretty = parameter("query", "Returns response with indentations and line breaks.");
  pretty["type"] = "boolean";
  pretty["default"] = "true";
  out["prettyPrint"] = std::move(pretty);
  return out;
}

}  // namespace

Reply answer_discovery(const Request& request, const Route& route) {
  const std::string& version = route.version;
  if (version != "v1" && version != "v2" && version != "v2alpha1")
    return google_error(404, "Discovery document not found for API service: tpu.googleapis.com");
  const std::string root = fmt::format("{}://{}/", request.is_https ? "https" : "http", request.host);
  const std::string_view versions = version == "v1" ? "tensorflowVersions" : "runtimeVersions";
  const std::string_view versions_message = version == "v1" ? "TensorFlowVersion" : "RuntimeVersion";

  json::object nested;
  nested["nodes"] = collection(version, "nodes", "Node");
  nested["acceleratorTypes"] = collection(version, "acceleratorTypes", "AcceleratorType");
  nested[versions] = collection(version, versions, versions_message);
  if (version != "v1") nested["queuedResources"] = collection(version, "queuedResources", "QueuedResource");
  nested["operations"] = collection(version, "operations", "Operation");
  json::object location_methods;
  location_methods["get"] =
      method(version, "tpu.projects.locations.get", "name", "^projects/[^/]+/locations/[^/]+$", "{+name}", "Location", {});
  location_methods["list"] = method(version, "tpu.projects.locations.list", "name", "^projects/[^/]+$", "{+name}/locations",
                                    "ListLocationsResponse", paging(true));
  json::object locations;
  locations["methods"] = std::move(location_methods);
  locations["resources"] = std::move(nested);
  json::object projects_resources;
  projects_resources["locations"] = std::move(locations);
  json::object projects;
  projects["resources"] = std::move(projects_resources);
  json::object resources;
  resources["projects"] = std::move(projects);

  json::object schemas;
  for (const auto& [plural, message] : {std::pair<std::string_view, std::string_view>{"nodes", "Node"},
                                        {"queuedResources", "QueuedResource"},
                                        {"acceleratorTypes", "AcceleratorType"},
                                        {versions, versions_message},
                                        {"operations", "Operation"},
                                        {"locations", "Location"}}) {
    if (version == "v1" && plural == "queuedResources") continue;
    const std::string list = fmt::format("List{}sResponse", message);
    schemas[message] = free_form(message);
    schemas[list] = list_schema(list, plural, message);
  }

  json::object out;
  out["kind"] = "discovery#restDescription";
  out["discoveryVersion"] = "v1";
  out["id"] = "tpu:" + version;
  out["name"] = "tpu";
  out["version"] = version;
  out["title"] = "Cloud TPU API";
  out["description"] = "TPU API provides customers with access to Google TPU technology.";
  out["protocol"] = "rest";
  out["rootUrl"] = root;
  out["baseUrl"] = root;
  out["servicePath"] = "";
  out["basePath"] = "";
  out["batchPath"] = "batch";
  out["fullyEncodeReservedExpansion"] = true;
  out["parameters"] = common_parameters();
  json::object scope;
  scope["description"] = "See, edit, configure, and delete your Google Cloud data.";
  json::object scopes;
  scopes["https://www.googleapis.com/auth/cloud-platform"] = std::move(scope);
  json::object oauth2;
  oauth2["scopes"] = std::move(scopes);
  json::object auth;
  auth["oauth2"] = std::move(oauth2);
  out["auth"] = std::move(auth);
  out["schemas"] = std::move(schemas);
  out["resources"] = std::move(resources);
  return json_reply(out, true);
}

}  // namespace rollcall::sim
