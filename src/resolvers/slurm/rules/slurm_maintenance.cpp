#include "resolvers/slurm/rules/slurm_maintenance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "resolvers/slurm/rules/slurm_reference.hpp"
#include "rollcall/host_list.hpp"

namespace rollcall {
namespace {

bool is_maintenance(const SlurmReservation& reservation, WallTime now) {
  constexpr Duration in_sight = std::chrono::hours(24);
  const bool is_it = std::find(reservation.flags.begin(), reservation.flags.end(), maintenance_code) != reservation.flags.end();
  return is_it && reservation.start && *reservation.start - now < in_sight && (!reservation.end || *reservation.end > now);
}

// None: each has ended by then, or none runs.
const SlurmJobRecord* job_that_lasts(const std::vector<SlurmJobRecord>& jobs, WallTime until) {
  const auto found = std::find_if(jobs.begin(), jobs.end(), [until](const SlurmJobRecord& job) {
    return job.base() == "RUNNING" && !job.is_over() && (!job.end || *job.end > until);
  });
  return found == jobs.end() ? nullptr : &*found;
}

}  // namespace

void add_slurm_maintenance(const SlurmView& view, ClusterStatus& status) {
  for (const SlurmReservation& reservation : view.reservations) {
    if (!is_maintenance(reservation, view.now)) continue;
    const SlurmJobRecord* const job = job_that_lasts(view.jobs, *reservation.start);
    const Result<std::vector<std::string>> hosts = expand_host_list(reservation.nodes);
    if (!job || !hosts) continue;
    const std::unordered_set<std::string> names(hosts->begin(), hosts->end());
    const std::string text =
        fmt::format("reservation {} (MAINT) begins there at {}{}", printable(reservation.name, 80), format_rfc3339(*reservation.start),
                    reservation.end ? " and ends at " + format_rfc3339(*reservation.end) : "");
    bool is_concerned = false;
    for (Member& member : status.members) {
      if (member.state.level != MemberState::ready || !names.contains(member.host)) continue;
      is_concerned = true;
      member.causes.emplace_back(CauseLayer::node, std::string(maintenance_code), text, "node " + member.host);
    }
    if (!is_concerned) continue;
    status.notices.emplace_back(NoticeKind::maintenance, "nodes of Slurm job " + slurm_job_text(*job), text);
  }
}

}  // namespace rollcall
