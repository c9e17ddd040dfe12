// JAX's arguments and variables. The real JAX reads the same lines in tests/interop/launch/jax.
#include <set>

#include "base/order.hpp"
#include "launch/random_cluster.hpp"

using namespace rollcall;

TEST_CASE("jax.distributed.initialize() by JSON and by environment") {
  LaunchFacts facts = facts_of_workers({"10.0.0.2:8470", "10.0.0.3:8470"}, 1);
  CHECK(reported(LaunchFormat::jax, facts) ==
        R"({"coordinator_address":"10.0.0.2:8482","num_processes":2,"process_id":1,"cluster_detection_method":"deactivate"})"
        "\n");
  const EnvironmentVariables variables = launch_environment(LaunchFormat::jax, facts).value();
  CHECK(variables ==
        EnvironmentVariables{{"JAX_COORDINATOR_ADDRESS", "10.0.0.2:8482"}, {"JAX_NUM_PROCESSES", "2"}, {"JAX_PROCESS_ID", "1"}});
  facts.task.reset();
  CHECK_THAT(reported(LaunchFormat::jax, facts), Catch::StartsWith("failed_precondition: it is not known which task"));
}

TEST_CASE("JAX's coordinator is in brackets if it is IPv6, since JAX splits at the last colon") {
  CHECK_THAT(reported(LaunchFormat::jax, facts_of_workers({"[fd00::1]:1", "[fd00::2]:1"})),
             Catch::StartsWith(R"({"coordinator_address":"[fd00::1]:8482",)"));
}

TEST_CASE("processes that share a host share its devices") {
  LaunchFacts facts = facts_of_workers({"a:1", "a:2", "b:1", "b:2"}, 3);
  CHECK_THAT(reported(LaunchFormat::jax, facts), Catch::Contains(R"("process_id":3,"local_device_ids":[1],)"));
  facts.accelerators_per_host = 8;
  CHECK_THAT(reported(LaunchFormat::jax, facts), Catch::Contains(R"("local_device_ids":[4,5,6,7],)"));
  facts.accelerators_per_host = 7;
  CHECK_THAT(reported(LaunchFormat::jax, facts),
             Catch::StartsWith("failed_precondition: b has 7 accelerators, which its 2 tasks cannot share"));
  facts = facts_of_workers({"a:1", "b:1"}, 1);
  facts.accelerators_per_host = 8;
  CHECK_THAT(reported(LaunchFormat::jax, facts), !Catch::Contains("local_device_ids"));
}

TEST_CASE("JAX's values for all tasks can be parsed again as the cluster") {
  std::mt19937 random(20261123);
  for (int round = 0; round < 200; ++round) {
    LaunchFacts facts(random_cluster(random));
    facts.jobs = facts.spec.jobs();
    if (random() % 2 == 0) facts.accelerators_per_host = 5040;
    sort_stably(facts.jobs, [](const std::string& a, const std::string& b) { return a == "chief" && b != "chief"; });
    const std::vector<Endpoint> ranks = ranked(facts.spec);
    const auto all = given_to_all(LaunchFormat::jax, facts);
    std::set<int> ids;
    std::map<std::string, std::set<std::string>> devices;  // of each host
    for (const auto& one : all) {
      CHECK(one.at("JAX_COORDINATOR_ADDRESS") == Endpoint(ranks.front().host, 8482).to_text());
      CHECK(one.at("JAX_NUM_PROCESSES") == std::to_string(ranks.size()));
      const int id = std::stoi(one.at("JAX_PROCESS_ID"));
      CHECK(ids.insert(id).second);
      const std::string& host = ranks.at(static_cast<std::size_t>(id)).host;
      const auto ids_of_host = one.find("JAX_LOCAL_DEVICE_IDS");
      CHECK(devices[host].insert(ids_of_host == one.end() ? "all" : ids_of_host->second).second);
    }
    CHECK(ids.size() == ranks.size());
    CHECK(*ids.rbegin() == static_cast<int>(ranks.size()) - 1);
    for (const auto& [host, parts] : devices) CHECK((parts.size() == 1) == (parts.count("all") == 1));
  }
}
