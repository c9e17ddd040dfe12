// TensorFlow: TF_CONFIG, and ClusterDef as bytes and as text. Source: tf.distribute's TFConfigClusterResolver;
// tensorflow/core/protobuf/cluster.proto.
#include <fmt/format.h>

#include <algorithm>

#include "launch/address_book.hpp"
#include "launch/format_row.hpp"
#include "launch/job_environment.hpp"
#include "launch/ranks.hpp"

namespace rollcall {
namespace {

// The task may be one of a job that is not chosen, but not one that the whole cluster lacks.
Result<std::string> tf_config(const LaunchFacts& facts) {
  const Result<ClusterSpec> spec = chosen_cluster(facts);
  if (!spec) return spec.error();
  const Result<void> fine = facts.task ? check_launched_task(facts.spec, *facts.task) : Result<void>();
  if (!fine) return fine.error();
  const Result<void> differ = check_addresses_differ(*spec, facts);
  if (!differ) return differ.error();
  return render_tf_config(*spec, facts.task, facts.rpc_layer);
}

Result<EnvironmentVariables> tf_config_variable(const LaunchFacts& facts) {
  Result<std::string> text = tf_config(facts);
  if (!text) return text.error();
  EnvironmentVariables variables;
  variables.emplace_back("TF_CONFIG", std::move(*text));
  return variables;
}

Result<std::string> tf_config_text(const LaunchFacts& facts) {
  Result<std::string> text = tf_config(facts);
  if (text) *text += "\n";
  return text;
}

Result<std::string> cluster_def_bytes(const LaunchFacts& facts) {
  const Result<ClusterSpec> spec = chosen_cluster(facts);
  if (!spec) return spec.error();
  return spec->to_cluster_def();
}

// As in protobuf's text format: C's escapes, and non-ASCII bytes in octal.
std::string text_form_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return out + '"';
}

// The library is linked without protobuf's own printer, which requires all of protobuf.
Result<std::string> cluster_def_lines(const LaunchFacts& facts) {
  const Result<ClusterSpec> spec = chosen_cluster(facts);
  if (!spec) return spec.error();
  std::vector<const ClusterSpec::Job*> jobs;
  for (const ClusterSpec::Job& job : spec->job_list()) jobs.push_back(&job);
  std::sort(jobs.begin(), jobs.end(), [](const ClusterSpec::Job* a, const ClusterSpec::Job* b) { return a->name < b->name; });
  std::string text;
  for (const ClusterSpec::Job* job : jobs) {
    text += fmt::format("job {{\n  name: {}\n", text_form_string(job->name));
    for (const auto& [index, address] : job->tasks)
      text += fmt::format("  tasks {{\n    key: {}\n    value: {}\n  }}\n", index, text_form_string(address));
    text += "}\n";
  }
  return text;
}

constexpr std::string_view tf_config_names[] = {"TF_CONFIG"};

}  // namespace

// clang-format off: a row a line
const FormatRow tf_config_row{.facts = {.format = LaunchFormat::tf_config, .help = "TF_CONFIG, with this host's task", .has_environment = true, .uses_task = true}, .text = tf_config_text, .environment = tf_config_variable, .variables = tf_config_names};
const FormatRow cluster_def_row{.facts = {.format = LaunchFormat::cluster_def, .help = "tensorflow.ClusterDef, serialized", .is_binary = true}, .text = cluster_def_bytes};
const FormatRow cluster_def_text_row{.facts = {.format = LaunchFormat::cluster_def_text, .help = "tensorflow.ClusterDef in protobuf's text form"}, .text = cluster_def_lines};
// clang-format on

}  // namespace rollcall
