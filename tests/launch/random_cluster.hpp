// Random clusters, for tests that parse the output of a form again.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/endpoint.hpp"
#include "rollcall/launch.hpp"
#include "support/result.hpp"

namespace rollcall {

/// One to three jobs of up to six tasks, with hosts of every kind, some of them with several tasks, and odd names of jobs.
inline ClusterSpec random_cluster(std::mt19937& random) {
  static constexpr std::string_view names[] = {"worker", "evaluator of $(touch x)", "a b;c", "chief", "-n", "'quoted'", "ü", "trainer"};
  ClusterSpec spec;
  const int kind = static_cast<int>(random() % 3);
  const auto host = [kind](unsigned number) {
    if (kind == 0) return fmt::format("10.0.0.{}", number + 1);
    if (kind == 1) return fmt::format("fd00::{:x}", number + 1);
    return fmt::format("w-{}.example_1.internal", number);
  };
  unsigned number = 0;
  const int jobs = 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < jobs; ++i) {
    std::vector<std::string> tasks;
    for (unsigned left = 1 + static_cast<unsigned>(random() % 6); left > 0; --left) {
      const unsigned on = random() % 3 == 0 && number > 0 ? static_cast<unsigned>(random() % number) : number;
      tasks.push_back(Endpoint(host(on), static_cast<std::uint16_t>(2000 + number)).to_text());
      ++number;
    }
    std::string name(names[random() % std::size(names)]);
    while (spec.has_job(name)) name += "x";
    spec.set_job(std::move(name), std::move(tasks));
  }
  return spec;
}

/// The output for every task, by its job and index, in the cluster's order.
inline std::vector<std::map<std::string, std::string>> given_to_all(LaunchFormat form, LaunchFacts facts) {
  std::vector<std::map<std::string, std::string>> all;
  for (const ClusterSpec::Job& job : facts.spec.job_list()) {
    for (const auto& [index, address] : job.tasks) {
      facts.task.emplace(job.name, index);
      const EnvironmentVariables variables = launch_environment(form, facts).value();
      all.emplace_back(variables.begin(), variables.end());
      CHECK(all.back().size() == variables.size());
      const auto names = launch_variables(form);
      for (const auto& [name, value] : variables) CHECK(std::find(names.begin(), names.end(), name) != names.end());
    }
  }
  return all;
}

/// The addresses in the order of ranks.
inline std::vector<Endpoint> ranked(const ClusterSpec& spec) {
  std::vector<Endpoint> first;
  std::vector<Endpoint> others;
  for (const ClusterSpec::Job& job : spec.job_list()) {
    for (const auto& [index, address] : job.tasks) (job.name == "chief" ? first : others).push_back(Endpoint::parse(address).value());
  }
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

/// `NAME=value` lines, or the error.
inline std::string reported(LaunchFormat form, const LaunchFacts& facts) {
  const Result<std::string> text = render_launch(form, facts);
  return text ? *text : std::string(to_string(text.error().code())) + ": " + text.error().message();
}

/// A cluster of one job, and its first task.
inline LaunchFacts facts_of_workers(std::vector<std::string> addresses, int task = 0) {
  ClusterSpec spec;
  spec.set_job("worker", std::move(addresses));
  LaunchFacts facts(std::move(spec));
  facts.task.emplace("worker", task);
  return facts;
}

}  // namespace rollcall
