// The variables and flags of PyTorch and its launcher. The real parser reads the same in tests/interop/launch/torch.
#include <set>

#include "launch/random_cluster.hpp"

using namespace rollcall;

TEST_CASE("torchrun by a line and by environment") {
  LaunchFacts facts = facts_of_workers({"10.0.0.2:8470", "10.0.0.3:8470"}, 1);
  CHECK(reported(LaunchFormat::torchrun, facts) == "torchrun --nnodes=2 --node_rank=1 --master_addr=10.0.0.2 --master_port=29500\n");
  facts.accelerators_per_host = 4;
  facts.job_id = "run-$7";
  CHECK(reported(LaunchFormat::torchrun, facts) ==
        "torchrun --nnodes=2 --node_rank=1 --nproc_per_node=4 --master_addr=10.0.0.2 --master_port=29500 --rdzv_id='run-$7'\n");
  CHECK(launch_environment(LaunchFormat::torchrun, facts).value() == EnvironmentVariables{{"PET_NNODES", "2"},
                                                                                          {"PET_NODE_RANK", "1"},
                                                                                          {"PET_NPROC_PER_NODE", "4"},
                                                                                          {"PET_MASTER_ADDR", "10.0.0.2"},
                                                                                          {"PET_MASTER_PORT", "29500"},
                                                                                          {"PET_RDZV_ID", "run-$7"}});
}

TEST_CASE("an IPv6 master is in brackets for torchrun, and without for env://") {
  const LaunchFacts facts = facts_of_workers({"[fd00::1]:1", "[fd00::2]:1"});
  CHECK_THAT(reported(LaunchFormat::torchrun, facts), Catch::Contains("--master_addr='[fd00::1]' --master_port=29500"));
  CHECK_THAT(reported(LaunchFormat::torch_env, facts), Catch::StartsWith("MASTER_ADDR=fd00::1\nMASTER_PORT=29500\n"));
}

TEST_CASE("agents that share a host share its accelerators") {
  LaunchFacts facts = facts_of_workers({"a:1", "a:2"}, 1);
  facts.accelerators_per_host = 8;
  CHECK_THAT(reported(LaunchFormat::torchrun, facts), Catch::Contains("--nnodes=2 --node_rank=1 --nproc_per_node=4 "));
  facts.accelerators_per_host = 3;
  CHECK_THAT(reported(LaunchFormat::torchrun, facts), Catch::StartsWith("failed_precondition: a has 3 accelerators"));
  CHECK_THAT(reported(LaunchFormat::torch_env, facts), Catch::StartsWith("MASTER_ADDR=a\n"));
}

TEST_CASE("PyTorch's values for all tasks can be parsed again as the cluster") {
  std::mt19937 random(29500);
  for (int round = 0; round < 200; ++round) {
    LaunchFacts facts(random_cluster(random));
    const std::vector<Endpoint> ranks = ranked(facts.spec);
    std::map<std::string, std::string> node_of_host;
    std::set<std::string> nodes;
    std::set<std::pair<std::string, std::string>> places;
    std::set<int> seen;
    for (const auto& one : given_to_all(LaunchFormat::torch_env, facts)) {
      const int rank = std::stoi(one.at("RANK"));
      const std::string& host = ranks.at(static_cast<std::size_t>(rank)).host;
      CHECK(seen.insert(rank).second);
      CHECK(one.at("MASTER_ADDR") == ranks.front().host);
      CHECK(one.at("WORLD_SIZE") == std::to_string(ranks.size()));
      const std::string node = node_of_host.emplace(host, one.at("NODE_RANK")).first->second;
      CHECK(one.at("NODE_RANK") == node);
      nodes.insert(node);
      CHECK(places.emplace(node, one.at("LOCAL_RANK")).second);
      const auto tasks = std::count_if(ranks.begin(), ranks.end(), [&host](const Endpoint& other) { return other.host == host; });
      CHECK(one.at("LOCAL_WORLD_SIZE") == std::to_string(tasks));
      CHECK(std::stoi(one.at("LOCAL_RANK")) < tasks);
    }
    CHECK(seen.size() == ranks.size());
    CHECK(nodes.size() == node_of_host.size());
    for (const auto& one : given_to_all(LaunchFormat::torchrun, facts)) {
      const std::string endpoint = one.at("PET_MASTER_ADDR") + ":" + one.at("PET_MASTER_PORT");
      CHECK(Endpoint::parse(endpoint).value() == Endpoint(ranks.front().host, 29500));
      CHECK(one.at("PET_NNODES") == std::to_string(ranks.size()));
    }
  }
}
