#include "resolvers/launchers/wire/slurm_variables.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr int max_components = 128;  // MAX_HET_JOB_COMPS of slurm.h

int asked_components(const Environment& environment) {
  return parse_decimal<int>(slurm_text(environment, {"SLURM_HET_SIZE", "SLURM_PACK_SIZE"}), 0, max_components).value_or(0);
}

// Up to Slurm 19.05 these variables say PACK for HET.
std::string of_component(const Environment& environment, std::string_view what, int index) {
  const bool is_older = slurm_text(environment, {"SLURM_HET_SIZE"}).empty();
  return fmt::format("SLURM_{}_{}_GROUP_{}", what, is_older ? "PACK" : "HET", index);
}

// The variables of another job are inherited by a job that is submitted from it.
bool is_of_this_job(const Environment& environment, int components) {
  const std::string job = slurm_text(environment, {"SLURM_JOB_ID", "SLURM_JOBID"});
  bool is_known = false;
  for (int i = 0; i < components; ++i) {
    const std::string id = slurm_text(environment, {of_component(environment, "JOB_ID", i)});
    if (id.empty()) continue;
    if (id == job) return true;
    is_known = true;
  }
  return !is_known || job.empty();
}

}  // namespace

std::string slurm_text(const Environment& environment, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    std::string value = environment.get(name).value_or("");
    if (!value.empty() && value != "(null)") return value;
  }
  return {};
}

std::string slurm_job_id(const Environment& environment) {
  // Components have numbers of their own; their tasks get the leader's from srun, but not from every program that starts them.
  if (!slurm_component_lists(environment).empty()) {
    std::string leader = slurm_text(environment, {of_component(environment, "JOB_ID", 0)});
    if (!leader.empty()) return leader;
  }
  return slurm_text(environment, {"SLURM_JOB_ID", "SLURM_JOBID"});
}

int slurm_component_count(const Environment& environment) {
  const int components = asked_components(environment);
  return components >= 2 && is_of_this_job(environment, components) ? components : 0;
}

std::vector<std::string> slurm_component_lists(const Environment& environment) {
  std::vector<std::string> names;
  const int components = slurm_component_count(environment);
  for (int i = 0; i < components; ++i) {
    std::string name = of_component(environment, "JOB_NODELIST", i);
    if (!slurm_text(environment, {name}).empty()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace rollcall
