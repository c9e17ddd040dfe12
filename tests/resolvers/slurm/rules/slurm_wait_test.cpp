// Why a pending job waits: the reasons of real Slurms of three versions, each with the nodes that are to blame.
#include "resolvers/slurm/slurm_samples.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

SlurmWait wait_of(const SlurmView& view) { return explain_slurm_wait(view.jobs.front(), view); }

std::vector<std::string> blamed(const SlurmWait& wait) {
  std::vector<std::string> nodes;
  for (const Cause& cause : wait.causes) {
    if (cause.layer == CauseLayer::node) nodes.push_back(cause.object);
  }
  return nodes;
}

using Nodes = std::vector<std::string>;

class WaitRow {
 public:
  const char* job;
  MemberState level;
  Nodes nodes;
  const char* text;
};

const std::vector<WaitRow>& wait_rows() {
  static const std::vector<WaitRow> rows = {
      {"all-seven", MemberState::unschedulable, {"node n3", "node n5"}, "n3 is drained by root: gpu 3 fell off the bus (Xid 79)"},
      {"nodelist-drained", MemberState::unschedulable, {"node n3"}, "n3 is drained by root: gpu 3 fell off the bus (Xid 79)"},
      {"nodelist-down", MemberState::unschedulable, {"node n3", "node n5"}, "n5 is down by root: bad PSU, ticket 4711"},
      {"gpus4x8", MemberState::unschedulable, {"node n5"}, "n5 is down"},
      {"excluded", MemberState::unschedulable, {"node n5"}, "n5 is down"},
      {"resources", MemberState::waiting, {}, "it needs 2 nodes; 3 have what it asks for"},
      {"priority", MemberState::waiting, {}, "jobs of higher priority are before it"},
      {"never", MemberState::lost, {}, "it will never start"},
      {"after", MemberState::waiting, {}, "it waits for after"},
      {"later", MemberState::waiting, {}, "it does not start before 20"},
      {"closed", MemberState::waiting, {}, "partition closed is DOWN"},
      {"short-time", MemberState::unschedulable, {}, "it asks for 60 minutes, partition short gives 5"},
      {"short-nodes", MemberState::unschedulable, {}, "it asks for 2 nodes, partition short gives 1"},
      {"held", MemberState::stopped, {}, "it is held by its user: scontrol release "},
      {"held-admin", MemberState::stopped, {}, "it is held by an administrator: scontrol release "},
      {"reserved", MemberState::waiting, {}, "its reservation "},
      {"before-maint", MemberState::waiting, {}, "reservation "},
      {"lic2", MemberState::waiting, {}, "licences are in use: matlab"},
  };
  return rows;
}

}  // namespace

TEST_CASE("the reason of each pending job is resolved, on three versions of Slurm") {
  for (const std::string& version : slurm_versions()) {
    const std::vector<SlurmJobRecord> jobs = slurm_jobs_of(version, "jobs.pending");
    for (const WaitRow& row : wait_rows()) {
      const bool is_there = std::any_of(jobs.begin(), jobs.end(), [&row](const SlurmJobRecord& job) { return job.name == row.job; });
      if (!is_there) continue;  // the sample of 26.05 is cut
      INFO(version << " " << row.job);
      SlurmView view = slurm_view_of(version, row.job);
      if (!view.jobs.front().is_pending()) continue;  // 24.11 refuses some at once
      const SlurmWait wait = wait_of(view);
      CHECK(wait.condition.level == row.level);
      CHECK(blamed(wait) == row.nodes);
      CHECK_THAT(wait.condition.text, Catch::Contains(row.text));
      CHECK_FALSE(wait.causes.empty());
    }
  }
}

TEST_CASE("only what Slurm never tries again is final") {
  for (const std::string& version : slurm_versions()) {
    for (const SlurmJobRecord& job : slurm_jobs_of(version, "jobs.pending")) {
      if (!job.is_pending()) continue;
      INFO(version << " " << job.name);
      SlurmView view = slurm_view_of(version, job.name);
      const SlurmWait wait = wait_of(view);
      const bool is_final = std::any_of(wait.causes.begin(), wait.causes.end(), [](const Cause& cause) { return cause.is_final; });
      CHECK(is_final == (job.name == "never"));
    }
  }
}

TEST_CASE("a blamed node says since when") {
  const SlurmWait wait = wait_of(slurm_view_of("24.11", "nodelist-drained"));
  REQUIRE(blamed(wait).size() == 1);
  CHECK(wait.causes.back().since);
  CHECK(wait.causes.back().code == "IDLE+DRAIN");
}

TEST_CASE("a node that the job requires and that Slurm does not have is named") {
  SlurmView view = slurm_view_of("24.11", "nodelist-drained");
  view.jobs.front().required_nodes = "n3,gone7";
  view.jobs.front().node_count = 2;
  CHECK_THAT(wait_of(view).condition.text, Catch::Contains("node gone7 is not among the nodes that Slurm shows"));
}

TEST_CASE("of several partitions the closed one is named") {
  SlurmView view = slurm_view_of("24.11", "closed");
  view.jobs.front().partitions.push_back("open");
  SlurmPartition open;
  open.name = "open";
  open.states = {"UP"};
  view.partitions.push_back(open);
  CHECK_THAT(wait_of(view).condition.text, Catch::Contains("partition closed is DOWN, until its administrators say otherwise"));
}

TEST_CASE("a limit of the partition is found where Slurm calls it the configuration") {
  SlurmView view = slurm_view_of("22.05", "short-time");
  view.jobs.front().reason = "PartitionConfig";
  CHECK_THAT(wait_of(view).condition.text, Catch::Contains("it asks for 60 minutes, partition short gives 5"));
  view.jobs.front().time_limit = 3;
  view.jobs.front().node_count = 2;
  CHECK_THAT(wait_of(view).condition.text, Catch::Contains("it asks for 2 nodes, partition short gives 1"));
  view.jobs.front().node_count = 1;
  CHECK_THAT(wait_of(view).condition.text, Catch::Contains("partition config"));
}

TEST_CASE("no node is blamed where Slurm does not say how nodes are") {
  SlurmView view = slurm_view_of("24.11", "nodelist-drained");
  view.nodes.clear();
  view.missing = "slurmctld is busy";
  const SlurmWait wait = wait_of(view);
  CHECK(blamed(wait).empty());
  CHECK(wait.condition.level == MemberState::waiting);
  CHECK_THAT(wait.condition.text, Catch::Contains("more is not known: slurmctld is busy"));
}

TEST_CASE("a powered-down node of a cloud that 22.05 does not show can be had") {
  SlurmView view = slurm_view_of("22.05", "resources");
  SlurmJobRecord& job = view.jobs.front();
  job.partitions = {"cloud"};
  job.tres_per_node.clear();
  for (SlurmNodeRecord& node : view.nodes) {
    if (node.name == "c1") node.states = {"DOWN", "CLOUD"};
  }
  job.node_count = 2;  // of c[1-3], c3 is not shown
  CHECK(blamed(wait_of(view)).empty());
  job.node_count = 3;
  CHECK(blamed(wait_of(view)) == Nodes{"node c1"});
  job.required_nodes = "c3";
  job.node_count = 1;
  CHECK(blamed(wait_of(view)).empty());
}

TEST_CASE("other reasons are split into words, or quoted") {
  SlurmView view = slurm_view_of("24.11", "priority");
  SlurmJobRecord& job = view.jobs.front();
  job.qos = "large";
  job.account = "lab";
  job.reason = "QOSMaxJobsPerUserLimit";
  CHECK_THAT(wait_of(view).condition.text, Catch::Contains("a limit of QOS large: QOS max jobs per user limit"));
  job.reason = "AssocGrpGRESMinutesLimit";
  CHECK_THAT(wait_of(view).condition.text, Catch::Contains("a limit of account lab"));
  CHECK(wait_of(view).condition.level == MemberState::unschedulable);
  job.reason = "QOSMaxWallDurationPerJobLimit";
  CHECK(wait_of(view).condition.level == MemberState::unschedulable);
  job.reason = "SomethingNew";
  CHECK_THAT(wait_of(view).condition.text, Catch::Contains("Slurm says: SomethingNew"));
  CHECK(wait_of(view).condition.level == MemberState::waiting);
  job.reason = "Evil\x1b[31m";
  CHECK_THAT(wait_of(view).condition.text, !Catch::Contains("\x1b"));
}

TEST_CASE("a job whose launch failed names the node of its prolog") {
  SlurmView view = slurm_view_of("24.11", "held");
  view.jobs.front().description = "launch failed requeued held";
  view.nodes.front().partitions = {"main"};
  view.nodes.front().states = {"IDLE", "DRAIN"};
  view.nodes.front().reason = "Prolog error";
  const SlurmWait wait = wait_of(view);
  CHECK(wait.condition.level == MemberState::stopped);
  CHECK(blamed(wait).size() == 1);
  CHECK_THAT(wait.condition.text, Catch::Contains("Prolog error"));
}

TEST_CASE("features of Slurm's, with counts and alternatives") {
  const std::vector<std::string> features = {"gpu", "ib"};
  for (const char* const asked : {"", "gpu", "gpu&ib", "cpu|ib", "[cpu|gpu]", "gpu*2&cpu*1", "(gpu&ib)|cpu", "gpu,ib"}) {
    INFO(asked);
    CHECK(fits_features(asked, features));
  }
  for (const char* const asked : {"cpu", "gpu&cpu", "cpu|big", "[a|b]*2", "gpu,cpu"}) {
    INFO(asked);
    CHECK_FALSE(fits_features(asked, features));
  }
}

TEST_CASE("the ids of a dependency") {
  CHECK(slurm_dependencies("afterok:11:12(unfulfilled),afterany:13") == std::set<std::int64_t>{11, 12, 13});
  CHECK(slurm_dependencies("singleton").empty());
  CHECK(slurm_dependencies("afterok:").empty());
  CHECK(slurm_dependencies("after:7_3+10") == std::set<std::int64_t>{7});
}
