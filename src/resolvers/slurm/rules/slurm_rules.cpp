// Decision: jobs are served by id only. A name means other jobs for other users, and to look for one takes the list of all jobs.
#include "resolvers/slurm/rules/slurm_rules.hpp"

namespace rollcall {
namespace {

constexpr ServedKey slurm_keys_served[] = {{"cluster"}, {"port"}, {"address"}, {"rpc_layer", true}};

// Patterns of targets have the same form, with `*`.
std::string_view slurm_name_fault(const Target& target) {
  constexpr std::string_view job = "job/";
  const std::string_view name = target.body;
  if (name == "*") return {};
  if (!name.starts_with(job)) return "it means the client's own job or step";
  const std::string_view id = name.substr(job.size());
  const bool is_id = !id.empty() && id.find_first_not_of("0123456789_+*") == std::string_view::npos;
  return is_id ? std::string_view() : "it names no job by its id, slurm:job/4711";
}

bool is_slurm_job(const Target&) { return true; }

}  // namespace

constexpr SchemeRules slurm_rules = {
    .scheme = "slurm",
    .keys = slurm_keys_served,
    .place = SchemePlace::cluster,
    .noun = "Slurm job",
    .name_fault = slurm_name_fault,
    .is_listed = is_slurm_job,
};

}  // namespace rollcall
