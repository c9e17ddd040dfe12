// Each state of a job: final only where Slurm never runs it again.
#include "resolvers/slurm/slurm_samples.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

enum class Fate { waits, runs, stands, over };

class StateRow {
 public:
  std::vector<std::string> states;
  Fate fate;
};

const std::vector<StateRow>& state_rows() {
  static const std::vector<StateRow> rows = {
      {{"PENDING"}, Fate::waits},
      {{"REQUEUED"}, Fate::waits},
      {{"REQUEUE_FED"}, Fate::waits},
      {{"PENDING", "COMPLETING"}, Fate::waits},
      {{"NODE_FAIL", "COMPLETING", "REQUEUED"}, Fate::waits},
      {{"PREEMPTED", "REQUEUED"}, Fate::waits},
      {{"FAILED", "REQUEUED"}, Fate::waits},
      {{"REQUEUE_HOLD"}, Fate::stands},
      {{"SPECIAL_EXIT"}, Fate::stands},
      {{"PENDING", "SPECIAL_EXIT"}, Fate::stands},
      {{"FAILED", "REQUEUE_HOLD"}, Fate::stands},
      {{"COMPLETING"}, Fate::waits},  // up to v0.0.39 in the place of any base, of PENDING too
      {{"STAGE_OUT"}, Fate::waits},
      {{"CONFIGURING"}, Fate::waits},
      {{"RUNNING", "CONFIGURING", "POWER_UP_NODE"}, Fate::waits},
      {{"RUNNING"}, Fate::runs},
      {{"RUNNING", "SIGNALING"}, Fate::runs},
      {{"RUNNING", "RESIZING"}, Fate::runs},
      {{"RUNNING", "EXPEDITING"}, Fate::runs},
      {{"RESIZING"}, Fate::runs},
      {{"SIGNALING"}, Fate::runs},
      {{"STOPPED"}, Fate::stands},
      {{"RUNNING", "STOPPED"}, Fate::stands},
      {{"SUSPENDED"}, Fate::stands},
      {{"RUNNING", "COMPLETING"}, Fate::over},
      {{"COMPLETED"}, Fate::over},
      {{"COMPLETED", "COMPLETING"}, Fate::over},
      {{"COMPLETED", "STAGE_OUT"}, Fate::over},
      {{"CANCELLED"}, Fate::over},
      {{"FAILED"}, Fate::over},
      {{"TIMEOUT"}, Fate::over},
      {{"NODE_FAIL"}, Fate::over},
      {{"PREEMPTED"}, Fate::over},
      {{"BOOT_FAIL"}, Fate::over},
      {{"DEADLINE"}, Fate::over},
      {{"OUT_OF_MEMORY"}, Fate::over},
      {{"REVOKED"}, Fate::over},
      {{"PENDING", "REVOKED"}, Fate::over},
      {{"A_NEW_STATE"}, Fate::waits},
  };
  return rows;
}

MemberState level_of(Fate fate) {
  return fate == Fate::runs     ? MemberState::ready
         : fate == Fate::stands ? MemberState::stopped
         : fate == Fate::over   ? MemberState::lost
                                : MemberState::waiting;
}

}  // namespace

TEST_CASE("each state of a job, alone and with flags") {
  for (const StateRow& row : state_rows()) {
    SlurmJobRecord job;
    job.id = 7;
    job.states = row.states;
    job.nodes = "n1";
    job.node_count = 1;
    INFO(row.states.front() << " and " << row.states.size() - 1 << " flags");
    SlurmView view;
    view.jobs = {job};
    const ClusterStatus status = value_of(slurm_status(view, {}));
    CHECK(status.state.level == level_of(row.fate));
    CHECK(job.is_over() == (row.fate == Fate::over));
    const bool has_final = std::any_of(status.causes.begin(), status.causes.end(), [](const Cause& cause) { return cause.is_final; });
    CHECK(has_final == (row.fate == Fate::over));
    CHECK(slurm_needs(view.jobs));
  }
}

TEST_CASE("GPUs that are asked for the job as a whole are counted over the nodes that can be used") {
  SlurmView view;
  SlurmJobRecord& job = view.jobs.emplace_back();
  job.id = 7;
  job.states = {"PENDING"};
  job.reason = "ReqNodeNotAvail";
  job.description = "ReqNodeNotAvail, UnavailableNodes:n3";
  job.node_count = 1;
  job.partitions = {"main"};
  job.tres_per_job = "gres/gpu:20";
  for (int i = 1; i <= 4; ++i) {
    SlurmNodeRecord& node = view.nodes.emplace_back();
    node.name = "n" + std::to_string(i);
    node.partitions = {"main"};
    node.states = {"IDLE"};
    node.gres = i < 3 ? "gpu:h100:8(S:0-1)" : i == 3 ? "gpu:h100:4" : "gpu:a100:2";
  }
  view.nodes[2].states = {"IDLE", "DRAIN"};
  view.nodes[2].reason = "xid 79";
  const SlurmWait wait = explain_slurm_wait(job, view);
  CHECK(wait.condition.level == MemberState::unschedulable);
  CHECK_THAT(wait.condition.text, Catch::Contains("it needs 20 gpu, and those that can be used have 18"));
  CHECK_THAT(wait.condition.text, Catch::Contains("n3 is drained: xid 79"));
  CHECK_THAT(wait.condition.text, !Catch::Contains("UnavailableNodes"));
  job.tres_per_job = "gres/gpu:18";
  CHECK(explain_slurm_wait(job, view).condition.level == MemberState::waiting);
  job.tres_per_job = "gres/gpu:h100:17";
  CHECK_THAT(explain_slurm_wait(job, view).condition.text, Catch::Contains("17 gpu:h100, and those that can be used have 16"));
}

TEST_CASE("limits that end with other jobs are waited for, others are not") {
  const auto level = [](const std::string& reason) {
    SlurmView view;
    SlurmJobRecord& job = view.jobs.emplace_back();
    job.id = 7;
    job.states = {"PENDING"};
    job.reason = reason;
    return explain_slurm_wait(job, view).condition.level;
  };
  for (const char* const reason : {"AssocGrpCPURunMinutesLimit", "QOSGrpGRESRunMinutes", "QOSMaxJobsPerUserLimit", "AssocGrpGRES"}) {
    INFO(reason);
    CHECK(level(reason) == MemberState::waiting);
  }
  for (const char* const reason : {"AssocGrpCPUMinutesLimit", "QOSMinGRES", "QOSMaxGRESPerJob", "AssociationTimeLimit"}) {
    INFO(reason);
    CHECK(level(reason) == MemberState::unschedulable);
  }
}

TEST_CASE("a start that is a year away is no expectation, and a job alone of its name says so") {
  SlurmView view;
  view.now = WallTime(std::chrono::seconds(1'795'699'700));
  SlurmJobRecord& job = view.jobs.emplace_back();
  job.id = 7;
  job.name = "train";
  job.user = "ada";
  job.states = {"PENDING"};
  job.reason = "Priority";
  job.start = view.now + std::chrono::hours(24 * 365);
  CHECK_THAT(explain_slurm_wait(job, view).condition.text, !Catch::Contains("expects"));
  job.start = view.now + std::chrono::hours(24);
  CHECK_THAT(explain_slurm_wait(job, view).condition.text, Catch::Contains("expects"));
  job.reason = "Dependency";
  job.dependency = "singleton(unfulfilled)";
  CHECK_THAT(explain_slurm_wait(job, view).condition.text, Catch::Contains("all earlier jobs of the name 'train' of ada"));
  job.reason = "JobHeldAdmin";
  CHECK_THAT(explain_slurm_wait(job, view).condition.text, Catch::Contains("scontrol release 7, as an operator"));
}
