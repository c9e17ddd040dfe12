// The section `slurm` of a simulation file.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "sim/file/slurm_draft.hpp"

namespace rollcall::sim {
namespace {

struct SlurmDownTime {
  Duration from{0};
  std::optional<Duration> until;
};

constexpr auto slurm_down_form =
    file_form<SlurmDownTime>("slurm_down", member<&SlurmDownTime::from>("from"), member<&SlurmDownTime::until>("until"));

void read_slurm_down(SlurmDraft& draft, const FileValue& value) {
  SlurmDownTime down;
  read_object(value, slurm_down_form, down);
  if (down.until && *down.until <= down.from) value.complain("until: it must be later than from");
  if (!value.has_problem()) draft.cluster.controller_down.emplace_back(down.from, down.until);
}

constexpr std::array<std::string_view, 4> partition_words = {"UP", "DOWN", "DRAIN", "INACTIVE"};

constexpr auto slurm_partition_form = file_form<SlurmPartitionModel>(
    "slurm_partition", id<&SlurmPartitionModel::name>("name", "name of a partition"),
    word<&SlurmPartitionModel::state>("state", "state", partition_words), member<&SlurmPartitionModel::max_time>("max_time"),
    whole<&SlurmPartitionModel::max_nodes>("max_nodes", 1, 1'000'000));

SlurmPartitionModel* partition_named(SlurmClusterModel& cluster, std::string_view name) {
  const auto found = std::find_if(cluster.partitions.begin(), cluster.partitions.end(),
                                  [name](const SlurmPartitionModel& one) { return one.name == name; });
  return found == cluster.partitions.end() ? nullptr : &*found;
}

void read_slurm_partition(SlurmDraft& draft, const FileValue& value) {
  SlurmPartitionModel partition;
  read_object(value, slurm_partition_form, partition);
  if (value.has_problem()) return;
  if (partition.name.empty()) return value.complain("a partition needs a name");
  if (partition_named(draft.cluster, partition.name))
    return value.complain(fmt::format("there are two partitions {}", quoted(partition.name)));
  draft.cluster.partitions.push_back(std::move(partition));
}

constexpr auto slurm_reservation_form = file_form<SlurmReservationModel>(
    "slurm_reservation", id<&SlurmReservationModel::name>("name", "name of a reservation"), member<&SlurmReservationModel::nodes>("nodes"),
    member<&SlurmReservationModel::users>("users"), member<&SlurmReservationModel::flags>("flags"),
    member<&SlurmReservationModel::start>("start"), member<&SlurmReservationModel::end>("end"));

void read_slurm_reservation(SlurmDraft& draft, const FileValue& value) {
  SlurmReservationModel reservation;
  read_object(value, slurm_reservation_form, reservation);
  if (value.has_problem()) return;
  if (reservation.name.empty()) return value.complain("a reservation needs a name");
  if (reservation.end <= reservation.start) return value.complain("end: it must be later than start");
  for (const std::string& host : read_slurm_hosts(reservation.nodes, value)) {
    if (!draft.node_names.contains(host)) return value.complain(fmt::format("nodes: there is no node {}", quoted(host)));
  }
  draft.cluster.reservations.push_back(std::move(reservation));
}

constexpr auto slurm_form = file_form<SlurmDraft>(
    "slurm", word<&SlurmDraft::cluster, &SlurmClusterModel::release>("version", "version", slurm_releases),
    id<&SlurmDraft::cluster, &SlurmClusterModel::cluster>("cluster", "name of a cluster"),
    id<&SlurmDraft::cluster, &SlurmClusterModel::user>("user", "name of a user"),
    member<&SlurmDraft::cluster, &SlurmClusterModel::token_lifetime>("token_lifetime"),
    member<&SlurmDraft::cluster, &SlurmClusterModel::min_job_age>("min_job_age"),
    each<read_slurm_down, describe<slurm_down_form>>("controller_down"),
    each<read_slurm_partition, describe<slurm_partition_form>>("partitions"), each<read_slurm_nodes, describe_slurm_nodes>("nodes"),
    each<read_slurm_reservation, describe<slurm_reservation_form>>("reservations"), each<read_slurm_job, describe_slurm_job>("jobs"));

}  // namespace

void read_slurm(Model& model, const FileValue& value) {
  SlurmDraft draft;
  read_object(value, slurm_form, draft);
  if (value.has_problem()) return;
  for (const SlurmNodeModel& node : draft.cluster.nodes) {
    for (const std::string& name : node.partitions) {
      if (!partition_named(draft.cluster, name)) draft.cluster.partitions.emplace_back().name = name;
    }
  }
  model.slurm = std::make_shared<const SlurmClusterModel>(std::move(draft.cluster));
}

void describe_slurm(FileSections& out) { describe<slurm_form>(out); }

}  // namespace rollcall::sim
