// Host files and inventories: values that two tasks or two readers would interpret differently are refused, each with its reason.
#include "launch/random_cluster.hpp"

using namespace rollcall;
using testing::check_failure;
using testing::value_of;

TEST_CASE("two tasks never share a name or a group") {
  ClusterSpec spec;
  spec.set_job("worker", {"10.0.0.1:1"});
  spec.set_job("Worker", {"10.0.0.2:1"});
  check_failure(render_launch(LaunchFormat::hosts, LaunchFacts(spec)), Errc::invalid_argument, "two hosts would have the name Worker-0");
  ClusterSpec groups;
  groups.set_job("a-b", {"10.0.0.1:1"});
  groups.set_job("a_b", {"10.0.0.2:1"});
  check_failure(render_launch(LaunchFormat::ansible, LaunchFacts(groups)), Errc::invalid_argument,
                "jobs a-b and a_b would both be the group a_b");
  CHECK(render_launch(LaunchFormat::ssh_config, LaunchFacts(groups)));
}

TEST_CASE("a host file reports what its reader cannot hold") {
  check_failure(render_launch(LaunchFormat::mpich_hostfile, facts_of_workers({"[fd00::5]:1"})), Errc::invalid_argument, "fd00::5");
  check_failure(render_launch(LaunchFormat::mpi_hostfile, facts_of_workers({"rank:1"})), Errc::invalid_argument, "'rank', which is a word");
  check_failure(render_launch(LaunchFormat::hosts, facts_of_workers({"node1:1"})), Errc::invalid_argument,
                "the host of worker 0 is 'node1', a name");
  CHECK(value_of(render_launch(LaunchFormat::mpi_hostfile, facts_of_workers({"[::ffff:10.0.0.1]:1"}))) == "0:0:0:0:0:ffff:a00:1 slots=1\n");
  ClusterSpec alike;
  alike.set_job("worker", {"a.x:1", "a.y:1"});
  CHECK_THAT(value_of(render_launch(LaunchFormat::mpi_hostfile, LaunchFacts(alike))), Catch::StartsWith("# Some names differ"));
}

TEST_CASE("Ray's head listens on the coordinator's port, and names do not stand for addresses") {
  LaunchFacts facts = facts_of_workers({"head.example:8470"});
  facts.task.emplace("worker", 0);
  facts.port_rule = CoordinatorPort::task;
  CHECK(value_of(render_launch(LaunchFormat::ray, facts)) == "ray start --head --port=8470\n");
  facts.spec.set_job("worker", {"[fd00::1]:1", "[fd00::2]:1"});
  facts.task.emplace("worker", 1);
  facts.port_rule = CoordinatorPort::usual;
  CHECK(value_of(render_launch(LaunchFormat::ray, facts)) == "ray start --address='[fd00::1]:6379' --node-ip-address=fd00::2\n");
  facts.task.emplace("worker", 2);
  check_failure(render_launch(LaunchFormat::ray, facts), Errc::not_found, "worker 2");
}
