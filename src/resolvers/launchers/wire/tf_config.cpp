// Parses the environment variables TF_CONFIG and TPU_CONFIG.
#include "resolvers/launchers/wire/tf_config.hpp"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/secret_words.hpp"
#include "base/text.hpp"

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

std::string shown(const json::value& value) { return printable(without_secrets(json::serialize(value)), 100); }

}  // namespace

Result<TfConfig> TfConfig::parse(std::string_view text) {
  Result<JsonDocument> document = parse_object("TF_CONFIG", text);
  if (!document) return document.error();
  return TfConfig(std::move(*document));
}

bool TfConfig::has_cluster() const { return document_.root().get_object().contains("cluster"); }

Result<ClusterSpec> TfConfig::cluster() const {
  const json::value* cluster = document_.root().get_object().if_contains("cluster");
  if (!cluster) return ClusterSpec();
  Result<ClusterSpec> spec = ClusterSpec::from_json(json::serialize(*cluster));
  if (!spec)
    return Failure(Errc::invalid_argument, fmt::format("TF_CONFIG: cluster: {}", spec.error().what())).with_hint(spec.error().hint());
  return spec;
}

Result<const json::value*> TfConfig::task_value(std::string_view key) const {
  const json::value* task = find(document_.root(), "task");
  if (task && !task->is_object()) return invalid("TF_CONFIG", fmt::format("task is {}, not an object", kind_name(*task)));
  return task ? task->get_object().if_contains(key) : nullptr;
}

Result<std::optional<std::string>> TfConfig::task_type() const {
  const Result<const json::value*> value = task_value("type");
  if (!value) return value.error();
  if (!*value || (*value)->is_null()) return std::optional<std::string>();
  std::optional<std::string> text = to_python_text(**value);
  if (!text) return invalid("TF_CONFIG", fmt::format("task.type is {}, not a text", kind_name(**value)));
  return text;
}

Result<std::optional<int>> TfConfig::task_id() const {
  const Result<const json::value*> value = task_value("index");
  if (!value) return value.error();
  if (!*value) return std::optional<int>();
  const std::optional<int> index = to_python_int(**value);
  if (!index) return invalid("TF_CONFIG", fmt::format("task.index is {}, not an integer", shown(**value)));
  return index;
}

Result<std::optional<std::string>> TfConfig::text(std::string_view key) const {
  const json::value* value = find(document_.root(), key);
  if (!value) return std::optional<std::string>();
  if (!value->is_string()) return invalid("TF_CONFIG", fmt::format("{} is {}, not a text", key, kind_name(*value)));
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
