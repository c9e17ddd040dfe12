// Parses the environment variables TF_CONFIG and TPU_CONFIG.
#include "resolvers/launchers/wire/tf_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

namespace json = boost::json;

Failure invalid(std::string_view variable, std::string_view what) {
  return Failure(Errc::invalid_argument, fmt::format("{}: {}", variable, what));
}

Result<JsonDocument> parse_object(std::string_view variable, std::string_view text) {
  Result<JsonDocument> document = JsonDocument::parse(variable, text);
  if (!document) {
    Failure failure = document.error();
    if (failure.code() == Errc::malformed_response)
      failure.with_code(Errc::invalid_argument).with_hint("the variable must hold one JSON object, or be unset");
    return failure;
  }
  if (!document->root().is_object()) return invalid(variable, fmt::format("is {}, not a JSON object", kind_name(document->root())));
  return document;
}

// Python's str() of a scalar.
std::optional<std::string> to_python_text(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_bool()) return value.get_bool() ? "True" : "False";
  if (value.is_int64()) return std::to_string(value.get_int64());
  if (value.is_uint64()) return std::to_string(value.get_uint64());
  if (!value.is_double()) return std::nullopt;
  std::string text = fmt::format("{}", value.get_double());
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

// Python's int() of a scalar, if it fits an int.
std::optional<int> to_python_int(const json::value& value) {
  std::optional<std::int64_t> number;
  if (value.is_string()) {
    number = parse_python_int(std::string_view(value.get_string()));
  } else if (value.is_bool()) {
    number = value.get_bool() ? 1 : 0;
  } else if (value.is_int64()) {
    number = value.get_int64();
  } else if (value.is_double() && std::abs(value.get_double()) < 4e9) {
    number = static_cast<std::int64_t>(value.get_double());
  }
  using Limits = std::numeric_limits<int>;
  if (!number || *number < Limits::min() || *number > Limits::max()) return std::nullopt;
  return static_cast<int>(*number);
}

bool is_address(const json::value& value) {
  if (!value.is_string()) return false;
  const Result<Endpoint> endpoint = Endpoint::parse(std::string_view(value.get_string()));
  return endpoint && endpoint->port;
}

// A list of addresses, one by index or job, or lists by job.
bool has_addresses(const json::value& value, int levels = 2) {
  const auto has = [levels](const json::value& one) { return is_address(one) || (levels > 0 && has_addresses(one, levels - 1)); };
  if (value.is_array()) return std::any_of(value.get_array().begin(), value.get_array().end(), has);
  if (!value.is_object()) return false;
  const json::object& object = value.get_object();
  return std::any_of(object.begin(), object.end(), [&has](const json::key_value_pair& member) { return has(member.value()); });
}

// Members of TF_CONFIG that are no cluster, although some may have addresses: `service` is one of TensorFlow's estimators.
bool is_no_cluster(std::string_view member) { return member == "cluster" || member == "task" || member == "service"; }

// The cluster, also by the name that Kubeflow's operator gave it for a while [facts: sparse-cluster].
const json::value* cluster_in(const json::object& config) {
  const json::value* const cluster = config.if_contains("cluster");
  const bool is_empty = !cluster || (cluster->is_object() && cluster->get_object().empty());
  const json::value* const sparse = is_empty ? config.if_contains("sparseCluster") : nullptr;
  return sparse ? sparse : cluster;
}

// A member with addresses that is not read.
std::optional<std::string_view> unread_member(const json::object& config) {
  const json::value* const read = cluster_in(config);
  for (const json::key_value_pair& member : config) {
    const bool is_read = is_no_cluster(std::string_view(member.key())) || &member.value() == read;
    if (!is_read && has_addresses(member.value())) return std::string_view(member.key());
  }
  return std::nullopt;
}

std::string shown(const json::value& value) { return printable(without_secrets(json::serialize(value)), 100); }

}  // namespace

Result<TfConfig> TfConfig::parse(std::string_view text, const char* variable) {
  Result<JsonDocument> document = parse_object(variable, text);
  if (!document) return document.error();
  return TfConfig(std::move(*document), variable);
}

bool TfConfig::has_cluster() const {
  const json::object& config = document_.root().get_object();
  return cluster_in(config) || unread_member(config);
}

Result<ClusterSpec> TfConfig::cluster() const {
  const json::object& config = document_.root().get_object();
  const json::value* const cluster = cluster_in(config);
  Result<ClusterSpec> spec = cluster ? ClusterSpec::from_json(json::serialize(*cluster)) : Result<ClusterSpec>(ClusterSpec());
  if (!spec)
    return Failure(Errc::invalid_argument, fmt::format("{}: cluster: {}", variable_, spec.error().what())).with_hint(spec.error().hint());
  const std::optional<std::string_view> unread = spec->empty() ? unread_member(config) : std::nullopt;
  if (!unread) return spec;
  return invalid(variable_, fmt::format("has no cluster, but addresses in {}, which is not read", quoted(*unread, 80)))
      .with_hint("the member with the jobs and their addresses must be called cluster");
}

std::string TfConfig::left_out() const {
  const std::optional<std::string_view> unread = unread_member(document_.root().get_object());
  return unread ? fmt::format("the addresses in {}, which stands beside the cluster", quoted(*unread, 80)) : std::string();
}

Result<const json::value*> TfConfig::task_value(std::string_view key) const {
  const json::value* task = find(document_.root(), "task");
  if (task && !task->is_object()) return invalid(variable_, fmt::format("task is {}, not an object", kind_name(*task)));
  return task ? task->get_object().if_contains(key) : nullptr;
}

Result<std::optional<std::string>> TfConfig::task_type() const {
  const Result<const json::value*> value = task_value("type");
  if (!value) return value.error();
  if (!*value || (*value)->is_null()) return std::optional<std::string>();
  std::optional<std::string> text = to_python_text(**value);
  if (!text) return invalid(variable_, fmt::format("task.type is {}, not a text", kind_name(**value)));
  return text;
}

Result<std::optional<int>> TfConfig::task_id() const {
  const Result<const json::value*> value = task_value("index");
  if (!value) return value.error();
  if (!*value) return std::optional<int>();
  const std::optional<int> index = to_python_int(**value);
  if (!index) return invalid(variable_, fmt::format("task.index is {}, not an integer", shown(**value)));
  return index;
}

Result<std::optional<std::string>> TfConfig::text(std::string_view key) const {
  const json::value* value = find(document_.root(), key);
  if (!value) return std::optional<std::string>();
  if (!value->is_string()) return invalid(variable_, fmt::format("{} is {}, not a text", key, kind_name(*value)));
  return std::optional<std::string>(std::string_view(value->get_string()));
}

Result<std::optional<std::string>> TfConfig::rpc_layer() const { return text("rpc_layer"); }
Result<std::optional<std::string>> TfConfig::session_master() const { return text("session_master"); }

Result<TpuConfig> TpuConfig::parse(std::string_view text) {
  const Result<JsonDocument> document = parse_object("TPU_CONFIG", text);
  if (!document) return document.error();
  TpuConfig config;
  for (const std::string_view key : {"tpu_node_name", "project", "zone"}) {
    const json::value* value = find(document->root(), key);
    if (!value) continue;
    if (!value->is_string()) return invalid("TPU_CONFIG", fmt::format("{} is {}, not a text", key, kind_name(*value)));
    const std::string_view given(value->get_string());
    if (given.empty()) continue;
    if (key == "tpu_node_name") config.tpu_node_name = given;
    if (key == "project") config.project = given;
    if (key == "zone") config.zone = given;
  }
  if (config.tpu_node_name.empty()) {
    return invalid("TPU_CONFIG", "has no tpu_node_name")
        .with_hint(R"(Expected is {"tpu_node_name": NAME, "project": PROJECT, "zone": ZONE}.)");
  }
  return config;
}

}  // namespace rollcall
