// Parses SageMaker's variables and file.
#include "resolvers/launchers/wire/sagemaker.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
namespace {

constexpr std::string_view sagemaker_hint = R"(SM_HOSTS must hold a JSON array of host names, such as ["algo-1","algo-2"])";

Failure bad_sagemaker(std::string_view document, std::string_view what) {
  Failure failure(Errc::invalid_argument, fmt::format("{}: {}", document, what));
  return document == "SM_HOSTS" ? std::move(failure).with_hint(std::string(sagemaker_hint)) : failure;
}

Result<JsonDocument> sagemaker_document(std::string_view name, std::string_view text, const ParseLimits& limits) {
  Result<JsonDocument> document = JsonDocument::parse(name, text, limits);
  if (document || document.error().code() != Errc::malformed_response) return document;
  Failure failure = document.error();
  failure.with_code(Errc::invalid_argument);
  return name == "SM_HOSTS" ? std::move(failure).with_hint(std::string(sagemaker_hint)) : failure;
}

bool is_sagemaker_name(std::string_view name) {
  const auto is_refused = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; };
  return !name.empty() && name.size() <= 255 && std::none_of(name.begin(), name.end(), is_refused);
}

// An array of names; `noun` is what they name.
Result<std::vector<std::string>> names_in(std::string_view document, const boost::json::value& value, std::string_view noun,
                                          const ParseLimits& limits) {
  if (!value.is_array()) return bad_sagemaker(document, fmt::format("is {}, not an array", kind_name(value)));
  const boost::json::array& names = value.get_array();
  if (names.size() > limits.max_endpoints)
    return Failure(Errc::limit_exceeded, fmt::format("{} has more than {} {}s", document, limits.max_endpoints, noun));
  std::vector<std::string> result;
  result.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].is_string()) return bad_sagemaker(document, fmt::format("[{}] is {}, not a text", i, kind_name(names[i])));
    const std::string_view name(names[i].get_string());
    if (!is_sagemaker_name(name)) return bad_sagemaker(document, fmt::format("[{}] is no {} name: {}", i, noun, quoted(name, 80)));
    result.emplace_back(name);
  }
  return result;
}

// An empty or missing variable is an empty list.
Result<std::vector<std::string>> names_of_variable(const Environment& environment, const char* name, std::string_view noun,
                                                   const ParseLimits& limits) {
  const std::string text = environment.get(name).value_or("");
  if (text.empty()) return std::vector<std::string>();
  const Result<JsonDocument> document = sagemaker_document(name, text, limits);
  if (!document) return document.error();
  return names_in(name, document->root(), noun, limits);
}

Result<std::string> text_in(std::string_view document, const boost::json::value& object, std::string_view key) {
  const boost::json::value* const value = find(object, key);
  if (!value) return std::string();
  if (!value->is_string()) return bad_sagemaker(document, fmt::format("{} is {}, not a text", key, kind_name(*value)));
  return std::string(std::string_view(value->get_string()));
}

Result<SageMakerGroup> group_in(const std::string& document, const boost::json::value& value, const ParseLimits& limits) {
  if (!value.is_object()) return bad_sagemaker(document, fmt::format("a group is {}, not an object", kind_name(value)));
  Result<std::string> name = text_in(document, value, "instance_group_name");
  if (!name) return name.error();
  if (!is_sagemaker_name(*name)) return bad_sagemaker(document, fmt::format("instance_group_name is {}, no name", quoted(*name, 80)));
  Result<std::string> type = text_in(document, value, "instance_type");
  if (!type) return type.error();
  const boost::json::value* const listed = find(value, "hosts");
  if (!listed) return bad_sagemaker(document, fmt::format("the group {} has no hosts", quoted(*name, 80)));
  Result<std::vector<std::string>> hosts =
      names_in(fmt::format("{}: hosts of {}", document, printable(*name, 80)), *listed, "host", limits);
  if (!hosts) return hosts.error();
  SageMakerGroup group;
  group.name = *std::move(name);
  group.instance_type = *std::move(type);
  group.hosts = *std::move(hosts);
  return group;
}

Result<void> add_group(const std::string& document, const boost::json::value& value, const ParseLimits& limits, SageMakerJob& job) {
  Result<SageMakerGroup> group = group_in(document, value, limits);
  if (!group) return group.error();
  if (job.groups.size() >= limits.max_endpoints)
    return Failure(Errc::limit_exceeded, fmt::format("{} has more than {} groups", document, limits.max_endpoints));
  job.groups.push_back(*std::move(group));
  return {};
}

// SM_INSTANCE_GROUPS_DICT: groups by their names.
Result<void> read_group_dictionary(const Environment& environment, const ParseLimits& limits, SageMakerJob& job) {
  const std::string name = "SM_INSTANCE_GROUPS_DICT";
  const std::string text = environment.get(name).value_or("");
  if (text.empty()) return {};
  const Result<JsonDocument> document = sagemaker_document(name, text, limits);
  if (!document) return document.error();
  if (!document->root().is_object()) return bad_sagemaker(name, fmt::format("is {}, not an object", kind_name(document->root())));
  for (const boost::json::key_value_pair& member : document->root().get_object()) {
    const Result<void> added = add_group(name, member.value(), limits, job);
    if (!added) return added;
  }
  return {};
}

}  // namespace

Result<SageMakerJob> parse_sagemaker_variables(const Environment& environment, const ParseLimits& limits) {
  const std::optional<std::string> current = environment.get("SM_CURRENT_HOST");
  const bool has_hosts = environment.get("SM_HOSTS").has_value();
  if (!has_hosts || !current) {
    return Failure(Errc::failed_precondition,
                   fmt::format("this is no SageMaker environment: {} is not set", has_hosts ? "SM_CURRENT_HOST" : "SM_HOSTS"));
  }
  SageMakerJob job;
  job.source = "SM_HOSTS";
  job.current_source = "SM_CURRENT_HOST";
  job.current = *current;
  Result<std::vector<std::string>> hosts = names_of_variable(environment, "SM_HOSTS", "host", limits);
  if (!hosts) return hosts.error();
  job.hosts = *std::move(hosts);
  if (environment.get("SM_HOSTS")->empty()) job.current.clear();  // no hosts at all, for TensorFlow
  const Result<void> read = read_group_dictionary(environment, limits, job);
  if (!read) return read.error();
  Result<std::vector<std::string>> names = names_of_variable(environment, "SM_INSTANCE_GROUPS", "group", limits);
  if (!names) return names.error();
  job.group_names = *std::move(names);
  Result<std::vector<std::string>> distribution = names_of_variable(environment, "SM_DISTRIBUTION_INSTANCE_GROUPS", "group", limits);
  if (!distribution) return distribution.error();
  job.distribution = *std::move(distribution);
  job.current_group = environment.get("SM_CURRENT_INSTANCE_GROUP").value_or("");
  Result<std::vector<std::string>> own = names_of_variable(environment, "SM_CURRENT_INSTANCE_GROUP_HOSTS", "host", limits);
  if (!own) return own.error();
  const auto is_own = [&job](const SageMakerGroup& group) { return group.name == job.current_group; };
  if (!own->empty() && !job.current_group.empty() && std::none_of(job.groups.begin(), job.groups.end(), is_own))
    job.groups.push_back({.name = job.current_group, .instance_type = "", .hosts = *std::move(own)});
  return job;
}

Result<SageMakerJob> parse_resource_config(std::string_view file, std::string_view text, const ParseLimits& limits) {
  const std::string name(file);
  const Result<JsonDocument> document = sagemaker_document(name, text, limits);
  if (!document) return document.error();
  const boost::json::value& root = document->root();
  if (!root.is_object()) return bad_sagemaker(name, fmt::format("is {}, not an object", kind_name(root)));
  SageMakerJob job;
  job.source = name + ": hosts";
  job.current_source = name + ": current_host";
  Result<std::string> current = text_in(name, root, "current_host");
  if (!current) return current.error();
  job.current = *std::move(current);
  const boost::json::value* const listed = find(root, "hosts");
  if (!listed) return bad_sagemaker(name, "has no hosts");
  Result<std::vector<std::string>> hosts = names_in(job.source, *listed, "host", limits);
  if (!hosts) return hosts.error();
  job.hosts = *std::move(hosts);
  Result<std::string> own_group = text_in(name, root, "current_group_name");
  if (!own_group) return own_group.error();
  job.current_group = *std::move(own_group);
  const boost::json::value* const groups = find(root, "instance_groups");
  if (!groups) return job;
  if (!groups->is_array()) return bad_sagemaker(name, fmt::format("instance_groups is {}, not an array", kind_name(*groups)));
  for (const boost::json::value& group : groups->get_array()) {
    const Result<void> added = add_group(name, group, limits, job);
    if (!added) return added.error();
  }
  return job;
}

bool is_resource_config(std::string_view text) {
  if (!trim(text).starts_with('{')) return false;
  const Result<JsonDocument> document = JsonDocument::parse("the file", text);
  if (!document || !document->root().is_object()) return false;
  const boost::json::value* const hosts = find(document->root(), "hosts");
  return hosts && hosts->is_array() && find_text(document->root(), "current_host");
}

}  // namespace rollcall
