#include "fleet/service/service_resolvers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "resolvers/slurm/rules/slurm_rules.hpp"
#include "resolvers/slurm/slurm_doctor.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/target_scheme.hpp"

namespace rollcall::fleet {
namespace {

// Errors: invalid_argument: the target names none of the clusters, or there are several and it names none.
Result<FleetSlurm> slurm_of(const std::vector<FleetSlurm>& clusters, const Target& target) {
  const std::string name = target.get("cluster").value_or("");
  if (name.empty() && clusters.size() == 1) return clusters.front();
  const auto found = std::find_if(clusters.begin(), clusters.end(), [&name](const FleetSlurm& one) { return one.cluster == name; });
  if (found != clusters.end()) return *found;
  const bool is_unnamed = clusters.size() == 1 && clusters.front().cluster.empty();
  if (is_unnamed) return clusters.front();  // the answers show its name
  if (name.empty())
    return Failure(Errc::invalid_argument,
                   fmt::format("this service asks several Slurm clusters, and {} names none", quoted(target.to_text(), 120)))
        .with_hint("name it: slurm:job/4711,cluster=NAME");
  return Failure(Errc::invalid_argument, fmt::format("this service asks no Slurm cluster {}", quoted(name, 80)))
      .with_hint("its operator names the clusters in the settings: slurm: [{cluster: NAME, restd: …}]");
}

}  // namespace

ResolverMaker service_resolvers(std::vector<FleetSlurm> slurm) {
  return [slurm = std::move(slurm)](Runtime runtime, const std::string& text) -> Result<std::shared_ptr<ClusterResolver>> {
    Result<Target> target = Target::parse(text);
    const TargetScheme* const scheme = target ? find_scheme(target->scheme) : nullptr;
    if (slurm.empty() || !scheme || scheme->rules != &slurm_rules) return make_resolver(std::move(runtime), text);
    const Result<FleetSlurm> access = slurm_of(slurm, *target);
    if (!access) return access.error();
    Result<SlurmJobOptions> options = slurm_job_options(*target);
    if (!options) return options.error();
    options->restd(access->restd).token_file(access->token_file).login(access->login);
    if (options->cluster().empty()) options->cluster(access->cluster);
    return make_slurm_job_resolver(std::move(runtime), *options);
  };
}

}  // namespace rollcall::fleet
