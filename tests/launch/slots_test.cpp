// Slots and shares of accelerators, by what the members have; a part of a job has no ranks.
#include "launch/slots.hpp"

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// Two machines with two tasks each.
LaunchFacts two_machines(std::optional<Accelerators> first, std::optional<Accelerators> second) {
  LaunchFacts facts;
  facts.spec.set_job("worker", {"n1:1", "n1:2", "n2:1", "n2:2"});
  for (int i = 0; i < 4; ++i) {
    facts.members.emplace_back("worker", i).accelerators = i < 2 ? first : second;
  }
  facts.task = LaunchedTask("worker", 1);
  return facts;
}

Accelerators gpus(int count, bool is_shared) {
  Accelerators accelerators("GPU", count, "test");
  accelerators.is_shared = is_shared;
  return accelerators;
}

std::string slots_text(const LaunchFacts& facts) { return value_of(render_hosts(HostsForm::deepspeed, facts)); }

std::string local_devices(const LaunchFacts& facts) {
  for (const auto& [name, value] : value_of(launch_environment(LaunchFormat::jax, facts))) {
    if (name == "JAX_LOCAL_DEVICE_IDS") return value;
  }
  return "unset";
}

std::string processes_of(const LaunchFacts& facts) {
  for (const auto& [name, value] : value_of(launch_environment(LaunchFormat::torchrun, facts))) {
    if (name == "PET_NPROC_PER_NODE") return value;
  }
  return "unset";
}

}  // namespace

TEST_CASE("pods that share a machine's accelerators have no number of their own") {
  LaunchFacts facts;
  facts.spec.set_job("worker", {"10.8.0.1:1", "10.8.0.2:1"});
  for (int i = 0; i < 2; ++i) {
    Member& member = facts.members.emplace_back("worker", i);
    member.address = facts.spec.job_list().front().tasks.at(i);
    member.host = "gpu-1";
    member.accelerators = gpus(8, true);
  }
  check_failure(render_hosts(HostsForm::deepspeed, facts), Errc::failed_precondition, "share 8 accelerators of gpu-1", "worker 1");
  facts.task = LaunchedTask("worker", 0);
  CHECK(render_launch(LaunchFormat::torch_env, facts).has_value());
  check_failure(render_flags(FlagsFor::torchrun, facts), Errc::failed_precondition, "share 8 accelerators of gpu-1", "worker 1");
  facts.accelerators_per_host = 4;
  CHECK(slots_text(facts) == "10.8.0.1 slots=4\n10.8.0.2 slots=4\n");
  // On a machine of its own a pod has all of them.
  facts.accelerators_per_host.reset();
  facts.members[1].host = "gpu-2";
  CHECK(slots_text(facts) == "10.8.0.1 slots=8\n10.8.0.2 slots=8\n");
}

TEST_CASE("slots are the accelerators of the members, or those of the machine that they share") {
  const LaunchFacts shared = two_machines(gpus(8, true), gpus(8, true));
  CHECK(slots_text(shared) == "n1 slots=8\nn2 slots=8\n");
  CHECK(processes_of(shared) == "4");
  CHECK(local_devices(shared) == "4,5,6,7");
  const LaunchFacts own = two_machines(gpus(2, false), gpus(2, false));
  CHECK(slots_text(own) == "n1 slots=4\nn2 slots=4\n");
  CHECK(processes_of(own) == "2");
  CHECK(local_devices(own) == "unset");  // the process sees no others
  CHECK(unknown_accelerators(shared).empty());
}

TEST_CASE("numbers that no launcher can be given are refused") {
  LaunchFacts facts = two_machines(std::nullopt, std::nullopt);
  facts.accelerators_per_host = -1;
  check_failure(render_flags(FlagsFor::accelerate, facts), Errc::invalid_argument, "a host cannot have -1 accelerators");
  check_failure(render_hosts(HostsForm::mpi, facts), Errc::invalid_argument, "a host cannot have -1 accelerators");
  check_failure(render_launch(LaunchFormat::torchrun, facts), Errc::invalid_argument, "a host cannot have -1 accelerators");
  facts.accelerators_per_host.reset();
  facts.coordinator_port = 0;
  check_failure(launch_environment(LaunchFormat::torch_env, facts), Errc::invalid_argument, "port 0");
  check_failure(launch_coordinator(FlagsFor::torchrun, facts), Errc::invalid_argument, "port 0");
}

TEST_CASE("machines may differ, and shares must come out even") {
  const LaunchFacts unlike = two_machines(gpus(8, true), gpus(4, true));
  CHECK(slots_text(unlike) == "n1 slots=8\nn2 slots=4\n");
  LaunchFacts odd = two_machines(gpus(3, true), gpus(4, true));
  check_failure(launch_environment(LaunchFormat::torchrun, odd), Errc::failed_precondition, "n1 has 3 accelerators", "2 tasks");
  check_failure(render_flags(FlagsFor::accelerate, unlike), Errc::failed_precondition, "worker 1", "worker 2");
  odd.accelerators_per_host = 4;  // given
  CHECK(processes_of(odd) == "2");
}

TEST_CASE("accelerators that are not known are not one") {
  const LaunchFacts unknown = two_machines(std::nullopt, std::nullopt);
  CHECK(processes_of(unknown) == "unset");
  CHECK(slots_text(unknown) == "n1 slots=2\nn2 slots=2\n");  // the tasks
  CHECK(unknown_accelerators(unknown) == "how many accelerators n1 has is not known, and of 1 more");
  CHECK(unknown_accelerators(two_machines(gpus(8, true), std::nullopt)) == "how many accelerators n2 has is not known");
  CHECK(unknown_accelerators(unknown, LaunchFormat::torch_env).empty());  // counts none
  const LaunchFacts none = two_machines(gpus(0, true), gpus(0, true));
  CHECK(processes_of(none) == "unset");
  CHECK(slots_text(none) == "n1 slots=2\nn2 slots=2\n");
  CHECK(unknown_accelerators(none).empty());
  CHECK(local_devices(unknown) == "1");  // JAX's own rule for several processes of a machine
}

TEST_CASE("a form that ranks over the whole refuses a part") {
  LaunchFacts facts;
  facts.spec.set_job("worker", {"a:1", "b:1"});
  facts.task = LaunchedTask("worker", 1);
  for (int i = 0; i < 2; ++i) facts.members.emplace_back("worker", i).part.emplace("slice", 1, 2);
  for (const LaunchFormat form : {LaunchFormat::jax, LaunchFormat::torch_env, LaunchFormat::torchrun})
    check_failure(launch_environment(form, facts), Errc::failed_precondition, "the cluster is slice 1 of 2");
  for (const HostsForm form : {HostsForm::lines, HostsForm::mpi})
    check_failure(render_hosts(form, facts), Errc::failed_precondition, "the cluster is slice 1 of 2");
  check_failure(render_launch(LaunchFormat::mpi_hostfile, facts), Errc::failed_precondition, "slice 1 of 2");
  CHECK(render_launch(LaunchFormat::plain, facts));  // a list of addresses
  facts.members[0].part.emplace("slice", 0, 2);  // both are there
  CHECK(launch_environment(LaunchFormat::jax, facts));
  for (Member& member : facts.members) member.part.emplace("group", 1, 0);  // how many there are is not known
  CHECK(launch_environment(LaunchFormat::jax, facts));
}

TEST_CASE("a list of slots is refused where the accelerators of some hosts are not known") {
  LaunchFacts facts;
  facts.spec.set_job("worker", std::vector<std::string>{"n1:1", "n2:1", "n3:1"});
  for (int i = 0; i < 3; ++i) facts.members.emplace_back("worker", i);
  CHECK(render_hosts(HostsForm::deepspeed, facts).value() == "n1 slots=1\nn2 slots=1\nn3 slots=1\n");
  facts.members[0].accelerators.emplace("GPU", 8, "a test");
  for (const HostsForm form : {HostsForm::deepspeed, HostsForm::horovod, HostsForm::mpi, HostsForm::mpich})
    check_failure(render_hosts(form, facts), Errc::failed_precondition, "n1 has 8 accelerators", "how many n2, n3 have is not known");
  for (const LaunchFormat form : {LaunchFormat::mpi_hostfile, LaunchFormat::mpich_hostfile})
    check_failure(render_launch(form, facts), Errc::failed_precondition, "n1 has 8 accelerators", "n2, n3");
  CHECK(render_hosts(HostsForm::lines, facts).value() == "n1\nn2\nn3\n");
  CHECK(render_launch(LaunchFormat::slurm_nodelist, facts).value() == "n[1-3]\n");
  facts.accelerators_per_host = 4;
  CHECK(render_hosts(HostsForm::horovod, facts).value() == "n1:4\nn2:4\nn3:4\n");
  facts.accelerators_per_host.reset();
  for (int i = 1; i < 3; ++i) facts.members[static_cast<std::size_t>(i)].accelerators.emplace("GPU", 2 * i, "a test");
  CHECK(render_hosts(HostsForm::mpich, facts).value() == "n1:8\nn2:2\nn3:4\n");
}
