// A process with its own environment for `auto:`: variables, files and a simulated cloud.
#pragma once

#include <optional>

#include "rollcall/auto_resolver.hpp"
#include "rollcall/sim.hpp"
#include "support/result.hpp"
#include "support/spec_text.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {

using AutoVariables = std::map<std::string, std::string, std::less<>>;

class AutoLog final : public LogSink {
 public:
  std::vector<std::string> lines;
  void on_event(const Event& event) noexcept override {
    if (event.kind == EventKind::place_chosen || event.kind == EventKind::value_disputed)
      lines.push_back(std::string(to_string(event.kind)) + " " + std::string(event.subject));
  }
};

class AutoWorld : public VirtualLoop {
 public:
  explicit AutoWorld(AutoVariables variables = {}, const std::string& cloud_json = R"({"metadata": false})", AutoVariables files = {})
      : cloud(sim::Cloud::parse(cloud_json).value()) {
    RuntimeOptions options;
    options.http = sim::make_memory_transport(cloud, time, io.get_executor());
    options.time = time;
    options.random_seed = 1;
    options.environment = fixed_environment(std::move(variables));
    options.files = fixed_files(std::move(files));
    options.log = log;
    runtime.emplace(io.get_executor(), std::move(options));
  }

  std::shared_ptr<ClusterResolver> resolver(const std::string& target = "auto:") { return make_resolver(*runtime, target).value(); }

  std::shared_ptr<sim::Cloud> cloud;
  std::shared_ptr<AutoLog> log = std::make_shared<AutoLog>();
  std::optional<Runtime> runtime;
};

inline std::string auto_answer(AutoWorld& world, const std::string& target = "auto:") {
  const auto resolver = world.resolver(target);
  const auto spec = world.run(resolver->try_cluster_spec());
  if (!spec) return spec_text(spec);
  const auto id = resolver->task_id();
  return spec_text(spec) + (id ? " " + std::to_string(*id) : " -");
}

inline std::string auto_answer(AutoVariables variables, const std::string& target = "auto:") {
  AutoWorld world(std::move(variables));
  return auto_answer(world, target);
}

}  // namespace rollcall::testing
