// The MPI resolver: values in the launchers' environments, and missing ones.
#include "rollcall/mpi_resolver.hpp"

#include "support/result.hpp"
#include "support/spec_text.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::spec_text;
using rollcall::testing::TestRuntime;

namespace {

using MpiVariables = std::map<std::string, std::string, std::less<>>;

constexpr const char* orte_uri = "1531576320.0;tcp://10.96.0.1,10.148.0.1,10.108.0.1:34911";

MpiVariables open_mpi(int rank, int size, int local_size) {
  return {{"OMPI_MCA_orte_hnp_uri", orte_uri},
          {"OMPI_COMM_WORLD_RANK", std::to_string(rank)},
          {"OMPI_COMM_WORLD_SIZE", std::to_string(size)},
          {"OMPI_COMM_WORLD_LOCAL_RANK", std::to_string(rank % local_size)},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", std::to_string(local_size)}};
}

class MpiWorld : public TestRuntime {
 public:
  MpiWorld(MpiVariables variables, MpiVariables files) : TestRuntime(std::move(variables), {}, nullptr, std::move(files)) {}
};

std::string mpi_answer(MpiVariables variables, MpiVariables files = {}, const std::string& target = "mpi:") {
  MpiWorld world(std::move(variables), std::move(files));
  return spec_text(world, world.runtime, target);
}

}  // namespace

TEST_CASE("rank and size from Open MPI, Hydra and PMIx") {
  const auto process = [](const MpiVariables& variables) {
    MpiWorld world(variables, {});
    return make_mpi_resolver(world.runtime)->process().value();
  };
  const MpiProcess open = process(open_mpi(3, 8, 4));
  CHECK((open.launcher == "Open MPI" && open.rank == 3 && open.size == 8 && open.local_rank == 3 && open.local_size == 4));
  CHECK(open.coordinator == "10.96.0.1:62624");  // 1531576320 / 4096 mod 4096 + 61440
  auto v6 = open_mpi(0, 1, 1);
  v6["OMPI_MCA_orte_hnp_uri"] = "1314521088.0;tcp6://[fe80::b9b:ac5d:9cf0:b858,2620:10d:c083:150e::3000:2]:43370";
  CHECK(process(v6).coordinator == "[fe80::b9b:ac5d:9cf0:b858]:62880");
  v6.erase("OMPI_MCA_orte_hnp_uri");  // Open MPI 5
  CHECK_FALSE(process(v6).coordinator);
  const MpiProcess hydra = process({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}});
  // Flux has a PMI of its own, with variables that Hydra has, too.
  const MpiProcess flux =
      process({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"FLUX_TASK_RANK", "1"}, {"FLUX_JOB_SIZE", "4"}, {"FLUX_TASK_LOCAL_ID", "0"}});
  const MpiProcess within =
      process({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}, {"FLUX_TASK_RANK", "0"}, {"FLUX_JOB_SIZE", "1"}, {"MPI_LOCALRANKID", "1"}});
  CHECK((within.launcher == "Hydra" && within.rank == 3 && within.size == 4));
  CHECK((flux.launcher == "Flux" && flux.rank == 1 && flux.size == 4 && flux.local_rank == 0 && !flux.local_size));
  CHECK((hydra.launcher == "Hydra" && hydra.rank == 1 && hydra.size == 2 && hydra.local_size == 2));
  const MpiProcess pmix = process({{"PMIX_RANK", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_LOCALID", "0"}});
  CHECK((pmix.launcher == "PMIx under Slurm" && pmix.rank == 1 && pmix.size == 4 && !pmix.local_size));
  // PRRTE's prterun gives programs that are not of MPI no more than that.
  CHECK_THAT(mpi_answer({{"PMIX_RANK", "1"}, {"PMIX_NAMESPACE", "prterun-n9-7@1"}}),
             Catch::Contains("PMIx started this process as rank 1 (PMIX_RANK), outside of a Slurm step"));
  const MpiVariables gloo = {
      {"HOROVOD_RANK", "3"}, {"HOROVOD_SIZE", "4"}, {"HOROVOD_LOCAL_RANK", "3"}, {"HOROVOD_LOCAL_SIZE", "4"}, {"HOROVOD_CROSS_SIZE", "1"}};
  CHECK(mpi_answer(gloo) == R"({"worker":["localhost:8470","localhost:8471","localhost:8472","localhost:8473"]})");
  CHECK(mpi_answer(gloo, {}, "auto:") == mpi_answer(gloo));
}

TEST_CASE("the hosts of MPI processes come from a hostfile") {
  const MpiVariables files = {{"hosts", "a slots=2\nb slots=2\n"}, {"pbs", "a\nb\na\n"}};
  CHECK(mpi_answer(open_mpi(0, 3, 2), files, "mpi:hostfile=hosts") == R"({"worker":["a:8470","a:8471","b:8470"]})");
  const MpiVariables horovod = {
      {"HOROVOD_RANK", "2"}, {"HOROVOD_SIZE", "3"}, {"HOROVOD_LOCAL_RANK", "0"}, {"HOROVOD_LOCAL_SIZE", "1"}, {"HOROVOD_CROSS_SIZE", "2"}};
  CHECK(mpi_answer(horovod, files, "mpi:hostfile=hosts") == R"({"worker":["a:8470","a:8471","b:8470"]})");
  auto named = open_mpi(2, 3, 1);
  named["PBS_NODEFILE"] = "pbs";
  CHECK(mpi_answer(named, files, "mpi:job=ps,port=1") == R"({"ps":["a:1","a:2","b:1"]})");
  MpiWorld world(named, files);
  MpiOptions options;
  options.rpc_layer("grpc");
  const auto mpi = make_mpi_resolver(world.runtime, options);
  CHECK((mpi->task_type() == "worker" && mpi->task_id() == 2));
  CHECK(world.run(mpi->master()) == "grpc://b:8470");
  REQUIRE(mpi->set_task_id(1));
  CHECK(world.run(mpi->master()) == "grpc://a:8471");
}

TEST_CASE("all MPI processes on one host need no hostfile") {
  CHECK(mpi_answer(open_mpi(0, 2, 2)) == R"({"worker":["localhost:8470","localhost:8471"]})");
  auto named = open_mpi(0, 2, 2);
  named["PMIX_HOSTNAME"] = "n7";
  CHECK(mpi_answer(named) == R"({"worker":["n7:8470","n7:8471"]})");
}

TEST_CASE("an empty PMIX_HOSTNAME counts as not set, and one that is not a host is refused") {
  auto named = open_mpi(0, 2, 2);
  named["PMIX_HOSTNAME"] = "";
  CHECK(mpi_answer(named) == R"({"worker":["localhost:8470","localhost:8471"]})");
  for (const char* const name : {"a b", "a,b", "a:1", "x\n"}) {
    named["PMIX_HOSTNAME"] = name;
    CHECK_THAT(mpi_answer(named), Catch::StartsWith("invalid_argument: mpi: PMIX_HOSTNAME is "));
  }
}

TEST_CASE("what contradicts itself does so at each later poll, and is not waited for") {
  MpiWorld world({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "2"}}, {{"hosts", "a:2\nb:2\n"}});
  const auto mpi = make_resolver(world.runtime, "mpi:hostfile=hosts").value();
  const auto status = world.run(mpi->try_cluster_status());
  REQUIRE_FALSE(status);
  CHECK(status.error().code() == Errc::failed_precondition);
  CHECK_THAT(status.error().what(), Catch::Contains("MPI_LOCALRANKID is 0"));
}

TEST_CASE("slots without an MPI process do not matter") {
  const MpiVariables files = {{"hosts",
                               "\xef\xbb\xbf"
                               "a slots=60000\nb slots=2\n"}};
  CHECK(mpi_answer(open_mpi(0, 2, 2), files, "mpi:hostfile=hosts,port=65534") == R"({"worker":["a:65534","a:65535"]})");
  CHECK_THAT(mpi_answer(open_mpi(0, 3, 3), files, "mpi:hostfile=hosts,port=65534"),
             Catch::StartsWith("invalid_argument: mpi: slot 2 of 'a' would have port 65536"));
}

TEST_CASE("missing values of MPI are reported") {
  CHECK_THAT(mpi_answer({}), Catch::StartsWith("failed_precondition: mpi: no launcher of MPI started this process"));
  CHECK_THAT(mpi_answer(open_mpi(3, 8, 4)),
             Catch::Contains("failed_precondition: mpi: this is process 3 of 8, and Open MPI does not say on which hosts") &&
                 Catch::Contains("hostfile=PATH"));
  CHECK_THAT(mpi_answer(open_mpi(0, 5, 2), {{"h", "a slots=2\n"}}, "mpi:hostfile=h"),
             Catch::Contains("5 processes, but the hostfile has 2 slots"));
  CHECK_THAT(mpi_answer(open_mpi(0, 2, 1), {}, "mpi:hostfile=h"), Catch::Contains("not_found: mpi: hostfile: there is no such file"));
  CHECK_THAT(mpi_answer(open_mpi(0, 2, 1), {{"h", "a slots=x\n"}}, "mpi:hostfile=h"), Catch::Contains("hostfile: line 1: "));
  CHECK_THAT(mpi_answer({{"PMIX_RANK", "0"}}), Catch::Contains("SLURM_STEP_NUM_TASKS is not set"));
  CHECK_THAT(mpi_answer({{"OMPI_MCA_orte_hnp_uri", orte_uri}}), Catch::Contains("OMPI_COMM_WORLD_SIZE is not set"));
  CHECK_THAT(mpi_answer({{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}}), Catch::Contains("PMI_RANK is 2, but PMI_SIZE is 2"));
  for (const char* value : {"", "-1", "x", "99999999999"}) {
    CHECK_THAT(mpi_answer({{"PMI_RANK", "0"}, {"PMI_SIZE", value}}), Catch::Contains("invalid_argument: mpi: PMI_SIZE is "));
  }
  for (const char* uri :
       {"", "x.0;tcp://a:1", "1.0", "1.0;tcp://", "1.0;tcp://a", "1.0;tcp:// :1", "1.0;tcp6://[fd00::1", "1.0;tcp6://fd00::1:1"}) {
    auto bad = open_mpi(0, 1, 1);
    bad["OMPI_MCA_orte_hnp_uri"] = uri;
    CHECK_THAT(mpi_answer(bad), Catch::Contains("invalid_argument: OMPI_MCA_orte_hnp_uri is "));
  }
  for (const auto& [target, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"mpi:hosts", "hostfile=PATH"}, {"mpi:port=0", "not a port"}, {"mpi:hostfiles=x", "did you mean hostfile="}}) {
    CHECK_THAT(mpi_answer(open_mpi(0, 1, 1), {}, target), Catch::Contains(why));
  }
  MpiWorld world(open_mpi(0, 1, 1), {});
  MpiOptions options;
  options.port(0);
  CHECK(world.run(make_mpi_resolver(world.runtime, options)->try_cluster_spec()).error().code() == Errc::invalid_argument);
}
