// Lists of hosts, flags of launchers, and the coordinator: the output is parsed again, and unusable values are refused.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <sstream>

#include "rollcall/launch.hpp"
#include "support/result.hpp"

using namespace rollcall;
using rollcall::testing::check_failure;
using rollcall::testing::value_of;

namespace {

LaunchFacts workers(std::vector<std::string> addresses) {
  ClusterSpec spec;
  spec.set_job("worker", std::move(addresses));
  return LaunchFacts(std::move(spec));
}

LaunchFacts as_worker(LaunchFacts facts, int index) {
  facts.task = LaunchedTask("worker", index);
  return facts;
}

std::vector<std::string> words_in_line(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

// As argparse parses `--name=value`.
std::map<std::string, std::string> flags_in(const std::string& line) {
  std::map<std::string, std::string> flags;
  for (const std::string& word : words_in_line(line)) {
    const std::size_t equals = word.find('=');
    flags[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  return flags;
}

using HostSlots = std::vector<std::pair<std::string, int>>;

// As the readers split a line: Horovod and MPICH at the colon, DeepSpeed and Open MPI at the blank.
HostSlots read_back(HostsForm form, const std::string& text) {
  HostSlots hosts;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const bool has_colon = form == HostsForm::horovod || form == HostsForm::mpich;
    const std::size_t end = line.find(has_colon ? ":" : " slots=");
    const int slots = end == std::string::npos ? 0 : std::stoi(line.substr(end + (has_colon ? 1 : 7)));
    hosts.emplace_back(line.substr(0, end), slots);
  }
  return hosts;
}

// A cluster of several jobs, hosts of every kind, several tasks on some hosts, gaps in the indices.
class ClusterOfHosts {
 public:
  explicit ClusterOfHosts(unsigned seed, bool with_ipv6) : random_(seed) {
    const int jobs = pick(1, 3);
    for (int j = 0; j < jobs; ++j) {
      ClusterSpec::Tasks tasks;
      int index = 0;
      for (int left = pick(0, 6); left > 0; --left) {
        index += pick(0, 2);
        const std::string host = host_of(pick(0, 9), with_ipv6);
        tasks.emplace(index++, Endpoint(host, static_cast<std::uint16_t>(next_port_++)).to_text());
        const auto known = std::find_if(expected.begin(), expected.end(), [&host](const auto& one) { return one.first == host; });
        if (known == expected.end()) {
          expected.emplace_back(host, 1);
        } else {
          ++known->second;
        }
      }
      REQUIRE(spec.set_job(fmt::format("job{}", j), std::move(tasks)));
    }
  }

  ClusterSpec spec;
  HostSlots expected;  // in the order of their first tasks

 private:
  int pick(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
  static std::string host_of(int number, bool with_ipv6) {
    if (number < 3) return fmt::format("10.0.0.{}", number + 1);
    if (number < 6 && with_ipv6) return fmt::format("2001:db8::{:x}", number + 10);
    return fmt::format("n{}.train_{}.internal", number, number);
  }

  std::mt19937 random_;
  int next_port_ = 2222;
};

}  // namespace

TEST_CASE("the printed hosts are parsed again as the cluster's hosts and slots") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    for (const HostsForm form : {HostsForm::horovod, HostsForm::deepspeed, HostsForm::mpi, HostsForm::mpich, HostsForm::lines}) {
      const ClusterOfHosts cluster(seed, form != HostsForm::horovod && form != HostsForm::mpich);
      LaunchFacts facts(cluster.spec);
      if (seed % 2 == 1) facts.accelerators_per_host = static_cast<int>(seed);
      HostSlots expected = cluster.expected;
      for (auto& [host, slots] : expected) slots = form == HostsForm::lines ? 0 : facts.accelerators_per_host.value_or(slots);
      CHECK(read_back(form, value_of(render_hosts(form, facts))) == expected);
    }
  }
}

TEST_CASE("each form of a list has its format of a line") {
  const LaunchFacts facts = workers({"10.0.0.1:8470", "node-b:8470"});
  CHECK(value_of(render_hosts(HostsForm::horovod, facts)) == "10.0.0.1:1\nnode-b:1\n");
  CHECK(value_of(render_hosts(HostsForm::deepspeed, facts)) == "10.0.0.1 slots=1\nnode-b slots=1\n");
  CHECK(value_of(render_hosts(HostsForm::mpi, facts)) == "10.0.0.1 slots=1\nnode-b slots=1\n");
  CHECK(value_of(render_hosts(HostsForm::mpich, facts)) == "10.0.0.1:1\nnode-b:1\n");
  CHECK(value_of(render_hosts(HostsForm::lines, facts)) == "10.0.0.1\nnode-b\n");
  CHECK(value_of(render_hosts(HostsForm::horovod, LaunchFacts())).empty());
}

TEST_CASE("an IPv6 host is printed in its reader's format, or refused") {
  const LaunchFacts facts = workers({"[2001:db8::1]:8470"});
  CHECK(value_of(render_hosts(HostsForm::deepspeed, facts)) == "2001:db8::1 slots=1\n");
  CHECK(value_of(render_hosts(HostsForm::lines, facts)) == "2001:db8::1\n");
  check_failure(render_hosts(HostsForm::horovod, facts), Errc::invalid_argument, "Horovod", "2001:db8::1");
  check_failure(render_hosts(HostsForm::mpich, facts), Errc::invalid_argument, "MPICH", "2001:db8::1");
}

TEST_CASE("different spellings of a host are one host") {
  CHECK(value_of(render_hosts(HostsForm::deepspeed, workers({"node-a:1", "Node-A.:2", "b:1"}))) == "node-a slots=2\nb slots=1\n");
  CHECK(value_of(render_hosts(HostsForm::lines, workers({"[2001:db8::1]:1", "[2001:DB8:0::1]:2"}))) == "2001:db8::1\n");
  check_failure(render_hosts(HostsForm::lines, workers({"node-a:1", "NODE-A:1"})), Errc::invalid_argument, "same address");
  check_failure(render_hosts(HostsForm::lines, workers({"[0:0::0]:1"})), Errc::invalid_argument, "no machine's address");
  check_failure(render_hosts(HostsForm::lines, workers({"[::ffff:0.0.0.0]:1"})), Errc::invalid_argument, "no machine's address");
}

TEST_CASE("hosts that a reader would misinterpret are refused") {
  for (const char* host : {"$(reboot)", "a b", "a\nb", "-x", "a;b", "a'b", "\xc3\xa4", "a slots=9", "#a", "a=b"}) {
    ClusterSpec spec;
    ClusterSpec::Tasks tasks;
    tasks.emplace(0, fmt::format("{}:1", host));
    REQUIRE(spec.set_job("worker", std::move(tasks)));
    LaunchFacts facts(spec);
    check_failure(render_hosts(HostsForm::horovod, facts), Errc::invalid_argument, "");
    check_failure(render_flags(FlagsFor::torchrun, as_worker(facts, 0)), Errc::invalid_argument, "");
  }
}

TEST_CASE("a list may be of some jobs, and parameter servers must be named") {
  LaunchFacts facts = workers({"a:1"});
  facts.spec.set_job("ps", {"c:1"});
  check_failure(render_hosts(HostsForm::lines, facts), Errc::failed_precondition, "'ps'");
  facts.jobs = {"worker"};
  CHECK(value_of(render_hosts(HostsForm::lines, facts)) == "a\n");
  facts.jobs = {"worker", "ps"};
  CHECK(value_of(render_hosts(HostsForm::lines, facts)) == "a\nc\n");
  facts.jobs = {"chief"};
  check_failure(render_hosts(HostsForm::lines, facts), Errc::not_found, "chief");
}

TEST_CASE("flags are parsed again as the cluster, the same on every host except for its rank") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> addresses;
    const int size = std::uniform_int_distribution<int>(1, 20)(random);
    for (int i = 0; i < size; ++i)
      addresses.push_back(round % 3 == 0 ? fmt::format("[2001:db8::{:x}]:8470", i + 1) : fmt::format("10.0.{}.{}:8470", round, i));
    const std::string first = value_of(Endpoint::parse(addresses.front())).host;
    LaunchFacts facts = workers(addresses);
    if (round % 2 == 0) facts.accelerators_per_host = 4;
    facts.hostfile = "hosts.txt";
    facts.port_rule = CoordinatorPort::derived;
    const std::string port = std::to_string(*value_of(launch_coordinator(FlagsFor::torchrun, facts)).endpoint.port);
    const int own = std::uniform_int_distribution<int>(0, size - 1)(random);
    facts.task = LaunchedTask("worker", own);
    const int processes = facts.accelerators_per_host.value_or(1);

    auto flags = flags_in(value_of(render_flags(FlagsFor::torchrun, facts)));
    CHECK((flags["--nnodes"] == std::to_string(size) && flags["--node_rank"] == std::to_string(own)));
    const std::string master =
        first.find(':') == std::string::npos ? first : "'[" + first + "]'";  // in brackets, which a shell would expand
    CHECK((flags["--master_addr"] == master && flags["--master_port"] == port));
    CHECK(flags["--nproc_per_node"] == (facts.accelerators_per_host ? "4" : ""));
    flags = flags_in(value_of(render_flags(FlagsFor::accelerate, facts)));
    CHECK((flags["--num_machines"] == std::to_string(size) && flags["--machine_rank"] == std::to_string(own)));
    CHECK((flags["--main_process_ip"] == first && flags["--main_process_port"] == port));
    CHECK(flags["--num_processes"] == std::to_string(size * processes));
    flags = flags_in(value_of(render_flags(FlagsFor::deepspeed, facts)));
    CHECK((flags["--hostfile"] == "hosts.txt" && flags.contains("--no_ssh") && flags["--node_rank"] == std::to_string(own)));
    CHECK((flags["--master_addr"] == first && flags["--master_port"] == port));
    CHECK(flags.size() == 5);
  }
}

TEST_CASE("accelerate is asked for the hardware that the members have") {
  const auto begins = [](std::size_t machines, std::optional<int> each, std::string kind) {
    std::vector<std::string> addresses;
    for (std::size_t i = 0; i < machines; ++i) addresses.push_back("h" + std::to_string(i) + ":1");
    LaunchFacts facts = as_worker(workers(addresses), 0);
    for (std::size_t i = 0; i < machines && !kind.empty(); ++i)
      facts.members.emplace_back("worker", static_cast<int>(i)).accelerators.emplace(kind, each.value_or(0), "test");
    if (kind.empty()) facts.accelerators_per_host = each;
    const std::string line = value_of(render_flags(FlagsFor::accelerate, facts));
    return line.substr(0, line.find("--num_machines"));
  };
  // With one GPU a host accelerate itself would start processes that are alone.
  for (const char* const kind : {"GPU", "NPU", "HPU", ""}) {
    CHECK(begins(2, 1, kind) == "--multi_gpu ");
    CHECK(begins(1, 8, kind) == "--multi_gpu ");
    CHECK(begins(1, 1, kind).empty());  // accelerate refuses --multi_gpu for one process
  }
  CHECK(begins(2, std::nullopt, "") == "--multi_gpu ");
  CHECK(begins(1, std::nullopt, "").empty());
  for (const std::size_t machines : {1U, 4U}) {
    CHECK(begins(machines, 4, "TPU") == "--tpu ");
  }
  CHECK(begins(1, 0, "GPU") == "--cpu ");
  LaunchFacts facts = as_worker(workers({"a:1", "b:1"}), 1);
  facts.accelerator_type = value_of(AcceleratorType::parse("v4-16"));
  CHECK(value_of(render_flags(FlagsFor::accelerate, facts)).starts_with("--tpu --num_machines=2 --machine_rank=1 --num_processes=2 "));
  facts.accelerator_type.reset();
  for (int i = 0; i < 2; ++i) facts.members.emplace_back("worker", i).accelerators.emplace("GPU", 0, "test");
  check_failure(render_flags(FlagsFor::accelerate, facts), Errc::failed_precondition, "each alone");
  CHECK(value_of(render_flags(FlagsFor::torchrun, facts)).starts_with("--nnodes=2 "));
}

TEST_CASE("flags are one line, with words quoted where a shell would expand them") {
  LaunchFacts facts = as_worker(workers({"a:1", "b:1"}), 1);
  facts.hostfile = "my $(hosts)'";
  CHECK(value_of(render_flags(FlagsFor::deepspeed, facts)) ==
        R"(--hostfile='my $(hosts)'\''' --no_ssh --node_rank=1 --master_addr=a --master_port=29500)"
        "\n");
  facts.hostfile = "a\nb";
  check_failure(render_flags(FlagsFor::deepspeed, facts), Errc::invalid_argument, "do not show");
  facts.hostfile.clear();
  check_failure(render_flags(FlagsFor::deepspeed, facts), Errc::failed_precondition, "this machine alone");
}

TEST_CASE("flags are refused if the rank is not known") {
  for (const FlagsFor launcher : {FlagsFor::accelerate, FlagsFor::torchrun, FlagsFor::deepspeed}) {
    LaunchFacts facts = workers({"a:1", "b:1"});
    facts.hostfile = "hosts";
    check_failure(render_flags(launcher, facts), Errc::failed_precondition, "not known which task");
    check_failure(render_flags(launcher, as_worker(facts, 2)), Errc::not_found, "worker 2");
    ClusterSpec::Tasks tasks;
    tasks.emplace(0, "a:1");
    tasks.emplace(2, "b:1");
    REQUIRE(facts.spec.set_job("worker", std::move(tasks)));
    check_failure(render_flags(launcher, as_worker(facts, 0)), Errc::failed_precondition, "no task 1");
  }
}

TEST_CASE("tasks of one host share its accelerators, and only evenly") {
  LaunchFacts facts = as_worker(workers({"a:1", "a:2", "b:1", "b:2"}), 3);
  facts.accelerators_per_host = 8;
  CHECK(flags_in(value_of(render_flags(FlagsFor::torchrun, facts)))["--nproc_per_node"] == "4");
  CHECK(flags_in(value_of(render_flags(FlagsFor::accelerate, facts)))["--num_processes"] == "16");
  facts.accelerators_per_host = 7;
  check_failure(render_flags(FlagsFor::torchrun, facts), Errc::failed_precondition, "7 accelerators", "2 tasks");
  check_failure(render_launch(LaunchFormat::torchrun, facts), Errc::failed_precondition, "evenly");
  check_failure(launch_environment(LaunchFormat::torchrun, facts), Errc::failed_precondition, "evenly");

  LaunchFacts uneven = as_worker(workers({"a:1", "a:2", "b:1"}), 2);
  uneven.accelerators_per_host = 4;
  CHECK(flags_in(value_of(render_flags(FlagsFor::torchrun, uneven)))["--nproc_per_node"] == "4");
  CHECK(flags_in(value_of(render_flags(FlagsFor::torchrun, as_worker(uneven, 0))))["--nproc_per_node"] == "2");
  check_failure(render_flags(FlagsFor::accelerate, uneven), Errc::failed_precondition, "worker 2 has 4", "worker 0 has 2");
}

TEST_CASE("DeepSpeed is started once on each host") {
  LaunchFacts facts = as_worker(workers({"a:1", "a:2", "b:1"}), 2);
  facts.hostfile = "hosts";
  CHECK(flags_in(value_of(render_flags(FlagsFor::deepspeed, facts)))["--node_rank"] == "1");
  check_failure(render_flags(FlagsFor::deepspeed, as_worker(facts, 1)), Errc::failed_precondition, "on a for worker 0", "worker 1");
}

TEST_CASE("the coordinator's port may not be another task's") {
  LaunchFacts facts = as_worker(workers({"a:29500", "a:29501", "b:29502"}), 0);
  CHECK(value_of(launch_coordinator(FlagsFor::torchrun, facts)).endpoint == Endpoint("a", 29500));  // its own
  facts.coordinator_port = 29502;                                                                   // on another host
  CHECK(value_of(launch_coordinator(FlagsFor::torchrun, facts)).endpoint == Endpoint("a", 29502));
  facts.coordinator_port = 29501;
  check_failure(render_flags(FlagsFor::torchrun, facts), Errc::invalid_argument, "a:29501", "worker 1");
  check_failure(render_launch(LaunchFormat::torch_env, facts), Errc::invalid_argument, "a:29501");
}

TEST_CASE("the coordinator is local if this host's task is on its host") {
  const LaunchFacts facts = workers({"a:1", "A:2", "b:1"});
  CHECK(value_of(launch_coordinator(LaunchFormat::torchrun, facts)).endpoint == Endpoint("a", 29500));
  CHECK_FALSE(value_of(launch_coordinator(LaunchFormat::torchrun, facts)).is_here);
  CHECK(value_of(launch_coordinator(LaunchFormat::torchrun, as_worker(facts, 1))).is_here);
  CHECK_FALSE(value_of(launch_coordinator(FlagsFor::accelerate, as_worker(facts, 2))).is_here);
  check_failure(launch_coordinator(LaunchFormat::plain, facts), Errc::unimplemented, "plain");
}
