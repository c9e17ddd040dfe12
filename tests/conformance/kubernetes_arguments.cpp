#include "conformance/kubernetes_arguments.hpp"

#include "conformance/json_reader.hpp"

namespace rollcall::conformance {

Result<KubernetesOptions> read_kubernetes_options(Arguments& args, const json::object& values) {
  KubernetesOptions options;
  if (const json::value* const mapping = args.value("job_to_label_mapping")) {
    if (!mapping->is_object()) throw NotApplicable("kubernetes: 'job_to_label_mapping' takes a map in C++");
    for (const auto& [job, selectors] : mapping->get_object()) {
      KubernetesOptions::Selectors texts;
      for (const Reader& selector : Reader(selectors, "job_to_label_mapping").items()) texts.push_back(selector.text());
      options.job(std::string(job), std::move(texts));
    }
  }
  if (const auto port = args.port("tf_server_port")) options.port(*port);
  if (auto layer = args.text("rpc_layer")) options.rpc_layer(std::move(*layer));
  if (values.contains("rpc_layer") && values.at("rpc_layer").is_null()) options.rpc_layer("");
  if (auto server = args.text("api_server")) options.api_server(std::move(*server));
  args.value("credentials");      // handled by the Runtime
  args.value("override_client");  // api_server replaces it
  const auto location = args.text("executable_location");
  if (!location) return options;
  const Result<ExecutableLocation> parsed = parse_executable_location(*location);
  if (!parsed) return parsed.error();
  options.executable_location(*parsed);
  return options;
}

}  // namespace rollcall::conformance
