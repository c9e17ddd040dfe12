#include "conformance/host_arguments.hpp"

#include <fmt/format.h>

#include <limits>

#include "conformance/json_reader.hpp"
#include "rollcall/sagemaker_resolver.hpp"
#include "rollcall/slurm_resolver.hpp"

namespace rollcall::conformance {
namespace {

std::vector<std::pair<std::string, int>> counts_by_name(const json::value& value, std::string_view name) {
  if (!value.is_object()) throw NotApplicable(fmt::format("slurm: '{}' takes a map in C++", name));
  std::vector<std::pair<std::string, int>> counts;
  for (const auto& [key, count] : value.get_object())
    counts.emplace_back(key, static_cast<int>(Reader(count, std::string(name)).integer(std::numeric_limits<int>::min())));
  return counts;
}

}  // namespace

std::shared_ptr<ClusterResolver> construct_slurm(Arguments& args, const json::object& values, const Setting& setting) {
  SlurmOptions options;
  if (const json::value* const jobs = args.value("jobs")) {
    const auto counts = counts_by_name(*jobs, "jobs");
    options.jobs(SlurmOptions::Jobs(counts.begin(), counts.end()));
  }
  if (const auto port = args.port("port_base")) options.port(*port);
  if (const auto gpus = args.integer("gpus_per_node")) options.gpus_per_node(*gpus);
  if (const auto gpus = args.integer("gpus_per_task")) options.gpus_per_task(*gpus);
  if (const json::value* const tasks = args.value("tasks_per_node")) {
    if (tasks->is_object()) {
      options.tasks_per_node(counts_by_name(*tasks, "tasks_per_node"));
    } else {
      options.tasks_per_node(*args.integer("tasks_per_node"));
    }
  }
  options.auto_set_gpu(args.boolean("auto_set_gpu").value_or(true));  // upstream's default
  if (auto layer = args.text("rpc_layer")) options.rpc_layer(std::move(*layer));
  if (values.contains("rpc_layer") && values.at("rpc_layer").is_null()) options.rpc_layer("");
  args.finish();
  return make_slurm_resolver(setting.runtime, std::move(options));
}

std::shared_ptr<ClusterResolver> construct_sagemaker(Arguments& args, const Setting& setting) {
  SageMakerOptions options;
  if (auto type = args.text("task_type")) options.task_type(std::move(*type));
  if (const auto id = args.integer("task_id")) options.task_id(*id);
  if (auto layer = args.text("rpc_layer")) options.rpc_layer(std::move(*layer));
  if (const auto port = args.port("port")) options.port(*port);
  if (auto environment = args.text("environment")) options.environment(std::move(*environment));
  args.finish();
  return make_sagemaker_resolver(setting.runtime, std::move(options));
}

}  // namespace rollcall::conformance
