// Where MPI's processes are: hosts of files, schedulers and daemons, the mapping, and the launcher's word against them. The environments
// are those of Open MPI 4.1.4 and Hydra 4.0.2.
#include "rollcall/mpi_resolver.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::TestRuntime;

namespace {

using PlaceVariables = std::map<std::string, std::string, std::less<>>;

PlaceVariables ompi(int rank, int size, int local_rank, int local_size, PlaceVariables more = {}) {
  more["OMPI_COMM_WORLD_RANK"] = std::to_string(rank);
  more["OMPI_COMM_WORLD_SIZE"] = std::to_string(size);
  more["OMPI_COMM_WORLD_LOCAL_RANK"] = std::to_string(local_rank);
  more["OMPI_COMM_WORLD_LOCAL_SIZE"] = std::to_string(local_size);
  return more;
}

PlaceVariables hydra(int rank, int size, int local_rank, int local_size) {
  return {{"PMI_RANK", std::to_string(rank)},
          {"PMI_SIZE", std::to_string(size)},
          {"MPI_LOCALRANKID", std::to_string(local_rank)},
          {"MPI_LOCALNRANKS", std::to_string(local_size)}};
}

// The hosts of the ranks, without ports, or the error.
std::string places(PlaceVariables variables, const std::string& hostfile, const std::string& target = "mpi:hostfile=hosts") {
  TestRuntime world(std::move(variables), {}, nullptr, {{"hosts", hostfile}, {"/jobs/hosts", hostfile}});
  const auto resolver = make_resolver(world.runtime, target);
  if (!resolver) return resolver.error().message();
  const auto spec = world.run((*resolver)->try_cluster_spec());
  if (!spec) return std::string(to_string(spec.error().code())) + ": " + spec.error().message();
  std::string text;
  for (const auto& [index, address] : spec->job_list().front().tasks)
    text += (text.empty() ? "" : " ") + address.substr(0, address.find(':'));
  return text;
}

const std::string two_and_two = "n9 slots=2\nn10 slots=2\n";
const std::string by_slot = "n9 n9 n10 n10";
const std::string by_node = "n9 n10 n9 n10";

}  // namespace

TEST_CASE("ranks fill the slots, and every process of such a job gets the same answer") {
  for (int rank = 0; rank < 4; ++rank) CHECK(places(ompi(rank, 4, rank % 2, 2), two_and_two) == by_slot);
  for (int rank = 0; rank < 4; ++rank) CHECK(places(hydra(rank, 4, rank % 2, 2), "n9:2\nn10:2\n") == by_slot);
}

TEST_CASE("mpirun's options say that ranks are dealt to the hosts, to every process alike") {
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"OMPI_MCA_rmaps_base_mapping_policy", "node"},
                                                                  {"OMPI_MCA_rmaps_base_mapping_policy", "NODE:OVERSUBSCRIBE"},
                                                                  {"PRTE_MCA_rmaps_default_mapping_policy", "node"},
                                                                  {"OMPI_MCA_rmaps_base_ranking_policy", "node"},
                                                                  {"OMPI_MCA_rmaps_base_bynode", "1"}}) {
    for (int rank = 0; rank < 4; ++rank) CHECK(places(ompi(rank, 4, rank / 2, 2, {{name, value}}), two_and_two) == by_node);
  }
  const PlaceVariables version_4 = {{"OMPI_MCA_orte_num_nodes", "2"}, {"PRTE_MCA_rmaps_default_mapping_policy", "node"}};
  CHECK(places(ompi(1, 4, 1, 2, version_4), two_and_two) == by_slot);
  const PlaceVariables by = {{"OMPI_MCA_rmaps_base_mapping_policy", "node"}};
  CHECK(places(ompi(3, 4, 2, 3, by), "n9 slots=1\nn10 slots=3\n") == "n9 n10 n10 n10");
  CHECK(places(ompi(1, 4, 1, 2, {{"OMPI_MCA_rmaps_base_mapping_policy", "slot:PE=1:OVERSUBSCRIBE"}}), two_and_two) == by_slot);
  CHECK(places(ompi(1, 4, 1, 2, {{"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"}}), two_and_two) == by_slot);
}

TEST_CASE("mpirun's options say how many processes a host has") {
  const std::string eight = "n9 slots=8\nn10 slots=8\n";
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"OMPI_MCA_rmaps_ppr_n_pernode", "1"},
                                                                  {"OMPI_MCA_rmaps_ppr_pernode", "1"},
                                                                  {"OMPI_MCA_rmaps_base_mapping_policy", "ppr:1:node"}}) {
    for (int rank = 0; rank < 2; ++rank) CHECK(places(ompi(rank, 2, 0, 1, {{name, value}}), eight) == "n9 n10");
  }
  CHECK(places(ompi(3, 4, 1, 2, {{"OMPI_MCA_rmaps_base_mapping_policy", "ppr:2:node"}}), eight) == by_slot);
}

TEST_CASE("what the launcher says of a process refuses an answer, and never chooses another") {
  const auto refused = [](const PlaceVariables& variables, const std::string& file, const char* but) {
    CHECK_THAT(places(variables, file), Catch::StartsWith("conflict: mpi: by hostfile, host after host by slots, rank ") &&
                                            Catch::Contains(but) && Catch::Contains("--map-by") && Catch::Contains("rank N=HOST"));
  };
  refused(ompi(1, 4, 0, 2), two_and_two, "rank 1 of 4 is process 1 of 2 on n9, but OMPI_COMM_WORLD_LOCAL_RANK is 0");
  refused(ompi(2, 4, 1, 2), two_and_two, "OMPI_COMM_WORLD_LOCAL_RANK is 1");
  refused(ompi(1, 2, 0, 1), "n9 slots=8\nn10 slots=8\n", "OMPI_COMM_WORLD_LOCAL_RANK is 0");
  refused(ompi(0, 2, 0, 1), "n9 slots=8\nn10 slots=8\n", "OMPI_COMM_WORLD_LOCAL_SIZE is 1");
  refused(ompi(0, 4, 0, 2, {{"PMIX_HOSTNAME", "n10"}}), two_and_two, "this process runs on n10");
  refused(ompi(0, 4, 0, 2, {{"PMIX_HOSTNAME", "n10"}}), "n9.example slots=2\nn10.example slots=2\n", "this process runs on n10.example");
  refused(hydra(1, 4, 0, 2), "n9:2\nn10:2\n", "MPI_LOCALRANKID is 0");
  CHECK_THAT(places(ompi(0, 4, 0, 2, {{"OMPI_MCA_orte_num_nodes", "3"}}), two_and_two),
             Catch::StartsWith(
                 "conflict: mpi: by hostfile, host after host by slots, 4 processes are on 2 hosts, but OMPI_MCA_orte_num_nodes is 3"));
  CHECK(places(ompi(0, 4, 0, 2, {{"PMIX_HOSTNAME", "other"}}), two_and_two) == by_slot);  // a name that no host has says nothing
  // Hydra hands the variables of mpiexec's host on to all processes.
  PlaceVariables copied = hydra(2, 4, 0, 2);
  copied["SLURMD_NODENAME"] = "n9";
  CHECK(places(copied, two_and_two) == by_slot);
}

TEST_CASE("a mapping that cannot be followed is refused by name") {
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"OMPI_MCA_rmaps_base_mapping_policy", "socket:span"},
                                                                  {"OMPI_MCA_rmaps_base_mapping_policy", "ppr:1:socket"},
                                                                  {"OMPI_MCA_rmaps_base_mapping_policy", "dist:mlx5"},
                                                                  {"OMPI_MCA_rmaps_base_ranking_policy", "node:span"},
                                                                  {"OMPI_MCA_rmaps_base_no_schedule_local", "1"}}) {
    CHECK_THAT(places(ompi(0, 4, 0, 2, {{name, value}}), two_and_two),
               Catch::StartsWith("unimplemented: mpi: " + std::string(name) + " is '" + value));
  }
  for (const char* const value : {"ppr:x:node", "ppr::node", "ppr:0:node", "ppr:-1:node", "ppr:99999999999:node"}) {
    CHECK_THAT(places(ompi(0, 4, 0, 2, {{"OMPI_MCA_rmaps_base_mapping_policy", value}}), two_and_two),
               Catch::StartsWith("invalid_argument: mpi: OMPI_MCA_rmaps_base_mapping_policy has "));
  }
}

TEST_CASE("Open MPI 4 begins with the host that mpirun runs on") {
  const std::string file = "n9 slots=2\nn11 slots=2\nn10 slots=2\n";
  const std::string ordered = "n10 n10 n9 n9 n11 n11";
  PlaceVariables at_mpirun = {{"PMIX_HOSTNAME", "n10"},
                              {"OMPI_MCA_orte_hnp_uri", "1.0;tcp://10.0.0.1:1"},
                              {"OMPI_MCA_orte_local_daemon_uri", "1.0;tcp://10.0.0.1:1"}};
  CHECK(places(ompi(1, 6, 1, 2, at_mpirun), file) == ordered);
  PlaceVariables elsewhere = at_mpirun;
  elsewhere["PMIX_HOSTNAME"] = "n9";
  elsewhere["OMPI_MCA_orte_local_daemon_uri"] = "1.1;tcp://10.0.0.2:1";
  elsewhere["OMPI_MCA_orte_node_regex"] = "n[2:10],n[1:9],n[2:11]@0(3)";
  CHECK(places(ompi(2, 6, 0, 2, elsewhere), file) == ordered);
  elsewhere["OMPI_MCA_orte_node_regex"] = "login,n[1:9],n[2:11],n[2:10]@0(4)";
  CHECK(places(ompi(0, 6, 0, 2, elsewhere), file) == "n9 n9 n11 n11 n10 n10");
  elsewhere.erase("OMPI_MCA_orte_node_regex");
  CHECK_THAT(places(ompi(2, 6, 0, 2, elsewhere), file), Catch::StartsWith("failed_precondition: mpi: OMPI_MCA_orte_node_regex is not set"));
}

TEST_CASE("lines of one host are one host for Open MPI, and Hydra begins again when the slots are taken") {
  CHECK(places(ompi(2, 3, 0, 1), "n9\nn10\nn9\n") == "n9 n9 n10");
  CHECK(places(hydra(1, 3, 0, 1), "n9\nn10\nn11\n") == "n9 n10 n11");
  CHECK(places(hydra(4, 6, 2, 4), "n9:2\nn10:2\n") == "n9 n9 n10 n10 n9 n9");
  CHECK(places(hydra(3, 4, 1, 2), "n9\nn10\n") == by_node);
  // mpirun_rsh of MVAPICH fills the lines, too.
  for (const std::string prefix : {"MV2_COMM_WORLD_", "MVP_COMM_WORLD_"}) {
    const auto mvapich = [&prefix](int rank, int size, int local, int local_size) {
      return PlaceVariables{{prefix + "RANK", std::to_string(rank)},
                            {prefix + "SIZE", std::to_string(size)},
                            {prefix + "LOCAL_RANK", std::to_string(local)},
                            {prefix + "LOCAL_SIZE", std::to_string(local_size)}};
    };
    CHECK(places(mvapich(2, 4, 0, 2), "n9:2\nn10:2\n") == by_slot);
    CHECK(places(mvapich(2, 4, 1, 2), "n9\nn10\nn9\nn10\n") == by_node);
    CHECK_THAT(places(mvapich(2, 4, 1, 2), "n9:2\nn10:2\n"), Catch::StartsWith("conflict: "));
    CHECK_THAT(places(mvapich(1, 4, 1, 2), "", "auto:"), Catch::Contains("MVAPICH") && Catch::Contains("does not say on which hosts"));
  }
  CHECK_THAT(places(hydra(0, 1, 0, 1), "n9:0\n"), Catch::StartsWith("failed_precondition: mpi: 1 processes, but the hostfile has 0 slots"));
}

TEST_CASE("hosts without numbers have as many processes as this one, if that comes out even") {
  CHECK(places(ompi(2, 4, 0, 2), "n9\nn10\n") == by_slot);
  CHECK(places(ompi(1, 2, 1, 2), "n9\nn10\n") == "n9 n9");  // the processors of the first are enough
  CHECK_THAT(places(ompi(1, 4, 1, 3), "n9\nn10\n"),
             Catch::StartsWith("failed_precondition: mpi: 4 processes, 3 of them on this host "
                               "(OMPI_COMM_WORLD_LOCAL_SIZE), do not fit the 2 hosts of hostfile evenly"));
  CHECK(places(ompi(2, 3, 1, 2, {{"OMPI_MCA_rmaps_base_mapping_policy", "node"}}), "n9\nn10\n") == "n9 n10 n9");
  CHECK(places(ompi(1, 2, 0, 1, {{"AZ_BATCH_HOST_LIST", "10.0.0.4,10.0.0.5"}}), "", "mpi:") == "10.0.0.4 10.0.0.5");
  CHECK(places(ompi(3, 4, 1, 2, {{"AZ_BATCH_HOST_LIST", "10.0.0.4,10.0.0.5"}}), "", "mpi:") == "10.0.0.4 10.0.0.4 10.0.0.5 10.0.0.5");
}

TEST_CASE("a rank file places each rank") {
  const std::string file = "# placed\nrank 2=n10 slot=1\nrank 0=n10 slot=0\nrank 1 = n9 slot=0:0-3\n";
  CHECK(places(ompi(2, 3, 1, 2), file) == "n10 n9 n10");
  CHECK(places(ompi(2, 3, 1, 2, {{"OMPI_MCA_orte_num_nodes", "4"}}), file) == "n10 n9 n10");
  CHECK(places(ompi(2, 3, 1, 2, {{"OMPI_MCA_orte_rankfile", "hosts"}, {"OMPI_MCA_initial_wdir", "/jobs"}}), file, "mpi:") == "n10 n9 n10");
  CHECK(places(ompi(0, 3, 0, 2, {{"OMPI_MCA_rmaps_base_mapping_policy", "socket:span"}}), file) == "n10 n9 n10");
  CHECK_THAT(places(ompi(2, 3, 0, 2), file), Catch::StartsWith("conflict: mpi: by hostfile, a host for each rank, rank 2 of 3"));
  CHECK_THAT(places(ompi(3, 4, 0, 1), file), Catch::Contains("4 processes, but the hostfile has 3 slots"));
}

TEST_CASE("the daemons of mpirun in an allocation of Slurm show the hosts") {
  PlaceVariables daemon = {
      {"SLURM_PROCID", "1"}, {"SLURM_STEP_NODELIST", "n[9-11]"}, {"SLURM_STEP_NUM_TASKS", "3"}, {"SLURMD_NODENAME", "n10"}};
  const std::string all = "n9 n9 n10 n10 n11 n11";
  CHECK(places(ompi(3, 6, 1, 2, daemon), "", "mpi:") == all);
  CHECK(places(ompi(3, 6, 1, 2, daemon), "", "auto:") == all);
  daemon["OMPI_MCA_orte_node_regex"] = "n[1:9],n[2:10],n[2:11]@0(3)";
  daemon["SLURM_STEP_NODELIST"] = "n[10-11]";
  CHECK(places(ompi(3, 6, 1, 2, daemon), "", "mpi:") == all);
  daemon["SLURMD_NODENAME"] = "n11";
  CHECK_THAT(places(ompi(3, 6, 1, 2, daemon), "", "mpi:"), Catch::StartsWith("conflict: ") && Catch::Contains("runs on n11"));
  daemon["SLURMD_NODENAME"] = "n10";
  CHECK_THAT(
      places(ompi(3, 7, 1, 2, daemon), "", "mpi:"),
      Catch::Contains("OMPI_MCA_orte_node_regex lists 3 hosts, and this one has 2 of the processes; SLURM_STEP_NODELIST lists 2 hosts"));
  PlaceVariables under_hydra = hydra(3, 6, 1, 2);
  under_hydra["SLURM_JOB_NODELIST"] = "n[9-11]";
  CHECK(places(under_hydra, "", "mpi:") == all);
  for (const char* const regex : {"n[1:9", "n[9]", "n[x:9]", "n[1:9-8]", ",", "n[1:0-999999999]", "@0(3)"}) {
    daemon["OMPI_MCA_orte_node_regex"] = regex;
    CHECK_THAT(places(ompi(3, 6, 1, 2, daemon), "", "mpi:"), Catch::Contains("OMPI_MCA_orte_node_regex"));
  }
}

TEST_CASE("jsrun starts nothing on the launch node of LSF") {
  const std::string file = "batch4\nc1n14\nc1n14\nc1n14\nc1n15\nc1n15\nc1n15\n";
  for (int rank = 0; rank < 4; ++rank) {
    PlaceVariables jsrun = {{"LSB_DJOB_HOSTFILE", "hosts"},
                            {"JSM_NAMESPACE_RANK", std::to_string(rank)},
                            {"JSM_NAMESPACE_SIZE", "4"},
                            {"JSM_NAMESPACE_LOCAL_RANK", std::to_string(rank % 2)},
                            {"JSM_NAMESPACE_LOCAL_SIZE", "2"}};
    CHECK(places(jsrun, file, "mpi:") == "c1n14 c1n14 c1n15 c1n15");
    CHECK(places(ompi(rank, 4, rank % 2, 2, jsrun), file, "auto:") == "c1n14 c1n14 c1n15 c1n15");
  }
  CHECK(places(ompi(1, 2, 0, 1, {{"LSB_DJOB_HOSTFILE", "hosts"}}), file, "mpi:") == "batch4 c1n14");  // mpirun: the first host takes part
  CHECK(places(ompi(2, 3, 1, 2, {{"LSB_MCPU_HOSTS", "h1 1 h2 2 "}}), "", "mpi:") == "h1 h2 h2");
}

TEST_CASE("PALS says its local rank and size") {
  const PlaceVariables pals = {{"PBS_NODEFILE", "hosts"}, {"PALS_RANKID", "3"}, {"PALS_LOCAL_RANKID", "1"},
                               {"PMI_RANK", "3"},         {"PMI_SIZE", "4"},    {"PMI_LOCAL_SIZE", "2"}};
  CHECK(places(pals, "n9\nn10\n", "mpi:") == by_slot);
  PlaceVariables aurora = pals;
  aurora.erase("PMI_LOCAL_SIZE");
  aurora["PALS_LOCAL_SIZE"] = "2";
  CHECK(places(aurora, "n9\nn10\n", "mpi:") == by_slot);
  PlaceVariables dealt = pals;
  dealt["PALS_RANKID"] = "1";
  dealt["PALS_LOCAL_RANKID"] = "0";
  CHECK_THAT(places(dealt, "n9\nn10\n", "mpi:"), Catch::Contains("PALS_LOCAL_RANKID is 0"));
}

TEST_CASE("in a job script the scheduler's hosts are known, and a task is not") {
  const std::string grid = "n9.example 2 all.q@n9 UNDEFINED\nn10.example 1 all.q@n10 <NULL>\n";
  for (const char* const target : {"mpi:", "auto:"}) {
    CHECK(places({{"PBS_NODEFILE", "hosts"}}, "cn07.example\ncn07.example\ncn11.example\n", target) ==
          "cn07.example cn07.example cn11.example");
    CHECK(places({{"LSB_MCPU_HOSTS", "batch4 1 c1n14 2 c1n15 1 "}}, "", target) == "batch4 c1n14 c1n14 c1n15");
    CHECK(places({{"LSB_HOSTS", "h1 h1 h2"}}, "", target) == "h1 h1 h2");
    CHECK(places({{"PE_HOSTFILE", "hosts"}}, grid, target) == "n9.example n9.example n10.example");
    CHECK(places({{"AZ_BATCH_HOST_LIST", "10.0.0.4,10.0.0.5"}}, "", target) == "10.0.0.4 10.0.0.5");
    CHECK(places({{"AZ_BATCH_NODE_LIST", "10.0.0.4;10.0.0.5"}}, "", target) == "10.0.0.4 10.0.0.5");
    // The file that mpirun would take, as the launcher's pod of an MPIJob has it.
    for (const char* const file :
         {"OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile", "HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE"})
      CHECK(places({{file, "hosts"}}, "w-0.w slots=2\nw-1.w slots=1\n", target) == "w-0.w w-0.w w-1.w");
    for (const char* const file : {"OAR_NODEFILE", "COBALT_NODEFILE", "LOADL_HOSTFILE"})
      CHECK(places({{file, "hosts"}}, "a\na\nb\n", target) == "a a b");
    for (const char* const file : {"PJM_O_NODEINF", "BATCH_HOSTS_FILE"})
      CHECK(places({{file, "hosts"}}, "10.25.0.1\n10.25.0.2\n", target) == "10.25.0.1 10.25.0.2");
  }
  CHECK_THAT(places({{"PBS_NODEFILE", "hosts"}}, "cn07\n"), Catch::Contains("no launcher of MPI started this process"));  // hostfile=
  CHECK(places({{"PBS_NODEFILE", "hosts"}, {"TF_CONFIG", R"({"cluster":{"worker":["a:1"]}})"}}, "cn07\n", "auto:") == "a");
  TestRuntime world(PlaceVariables{{"LSB_HOSTS", "h1 h2"}});
  const Result<std::optional<int>> task = make_mpi_resolver(world.runtime)->do_task_id();
  REQUIRE_FALSE(task);
  CHECK_THAT(task.error().message(),
             Catch::Contains("has the hosts of a job") && Catch::Contains("LSB_HOSTS") && Catch::Contains("mpirun"));
  // Azure ML numbers the machines.
  const auto task_of = [](PlaceVariables variables) {
    variables.emplace("AZ_BATCH_NODE_LIST", "node-0;node-1");
    TestRuntime here(std::move(variables));
    const Result<std::optional<int>> own = make_mpi_resolver(here.runtime)->do_task_id();
    return own ? std::to_string(own->value_or(-1)) : own.error().message();
  };
  CHECK(task_of({{"NODE_RANK", "1"}, {"MASTER_ADDR", "node-0"}}) == "1");
  CHECK(task_of({{"NODE_RANK", "1"}, {"RANK", "9"}, {"WORLD_SIZE", "16"}}) == "1");
  CHECK_THAT(task_of({{"RANK", "9"}, {"WORLD_SIZE", "16"}}), Catch::Contains("has the hosts of a job"));
  CHECK_THAT(task_of({{"NODE_RANK", "1"}, {"RANK", "0"}, {"WORLD_SIZE", "2"}}), Catch::Contains("RANK says worker 0"));
  CHECK_THAT(task_of({{"NODE_RANK", "1"}, {"LSB_HOSTS", "h1 h1 h2 h2"}}), Catch::Contains("has the hosts of a job"));  // slots
}

TEST_CASE("faults of schedulers' lists are reported with their variable") {
  for (const auto& [name, value, why] : std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"LSB_MCPU_HOSTS", "h1 1 h2", "the last host has no number of slots"},
           {"LSB_MCPU_HOSTS", "h1 -1", "which is no number of slots"},
           {"LSB_MCPU_HOSTS", " ", "there is no host in it"},
           {"LSB_MCPU_HOSTS", "h1 99999999", "limit_exceeded"},
           {"LSB_HOSTS", "h1 h:1", "'h:1' is no host"},
           {"LSB_HOSTS", "ya29.a0ARrdaM-x", "'***' is a token"},
           {"AZ_BATCH_HOST_LIST", "10.0.0.4|10.0.0.5", "is no host"},
           {"PE_HOSTFILE", "/nowhere", "no such file"}}) {
    CAPTURE(name, value);
    CHECK_THAT(places({{name, value}}, "", "mpi:"), Catch::Contains(why) && Catch::Contains(name));
  }
}
