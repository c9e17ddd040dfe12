#include "rollcall/megascale.hpp"

#include <fmt/format.h>

#include "rollcall/endpoint.hpp"

namespace rollcall {

std::map<std::string, std::string> MegascaleFacts::environment() const {
  return {{"MEGASCALE_NUM_SLICES", std::to_string(num_slices)},
          {"MEGASCALE_SLICE_ID", std::to_string(slice_id)},
          {"MEGASCALE_COORDINATOR_ADDRESS", coordinator_address},
          {"MEGASCALE_PORT", std::to_string(port)}};
}

Result<MegascaleFacts> megascale_facts(const ClusterSpec& spec, int slice, std::uint16_t port) {
  const std::vector<ClusterSpec::Job>& jobs = spec.job_list();
  MegascaleFacts facts;
  facts.num_slices = static_cast<int>(jobs.size());
  if (slice < 0 || slice >= facts.num_slices) {
    return Failure(Errc::invalid_argument, fmt::format("there is no slice {}: the cluster has {} jobs", slice, facts.num_slices))
        .with_hint("there must be one job for each slice (slices=jobs)");
  }
  for (const ClusterSpec::Job& job : jobs) {
    if (job.tasks.empty()) return Failure(Errc::not_ready, fmt::format("slice {} has no workers", job.name));
  }
  const std::string& first = jobs.front().tasks.begin()->second;
  const Result<Endpoint> coordinator = Endpoint::parse(first);
  facts.coordinator_address = coordinator ? coordinator->host : first;
  facts.slice_id = slice;
  facts.port = port;
  return facts;
}

}  // namespace rollcall
