// Fuzz target: a line of tasks, then variables (`RANK=1`) and names of the machine (`@10.0.0.1`). The result must be a task of the cluster,
// and the same without the variables that have no effect. `auto:` reads the same variables.
#include <algorithm>
#include <map>

#include "check.hpp"
#include "resolvers/auto/auto_cluster.hpp"
#include "rollcall/own_task.hpp"
#include "rollcall/whoami.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto next = [&rest](char end) {
    const std::size_t at = std::min(rest.find(end), rest.size());
    const std::string part(rest.substr(0, at));
    rest.remove_prefix(std::min(at + 1, rest.size()));
    return part;
  };
  const std::string tasks = next('\n');
  std::map<std::string, std::string, std::less<>> variables;
  OwnMachine machine;
  while (!rest.empty()) {
    const std::string line = next('\n');
    const std::size_t equals = line.find('=');
    if (line.starts_with('@')) machine.names.push_back(line.substr(1));
    if (equals != std::string::npos) variables[line.substr(0, equals)] = line.substr(equals + 1);
  }
  ClusterSpec spec;
  rest = tasks;
  for (int job = 0; !rest.empty(); ++job) {  // jobs separated by semicolons
    std::string_view of_job = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(of_job.size() + 1, rest.size()));
    std::vector<std::string> addresses;
    while (!of_job.empty()) {
      addresses.emplace_back(of_job.substr(0, of_job.find(',')));
      of_job.remove_prefix(std::min(addresses.back().size() + 1, of_job.size()));
    }
    spec.set_job("job" + std::to_string(job), std::move(addresses));
  }
  const std::shared_ptr<const Environment> environment = fixed_environment(variables);
  const Result<OwnTask> own = find_own_task(spec, *environment, machine);
  require_sane(own);
  if (own) {
    require(spec.task_address(own->job, own->index).has_value());
    require(!own->evidence.empty());
    std::erase_if(variables, [](const auto& variable) { return variable.second.empty(); });
    const Result<OwnTask> again = find_own_task(spec, *fixed_environment(variables), machine);
    require(again && again->evidence == own->evidence);
  }
  // The same with what members say: their names, and parts of two.
  std::vector<Member> members;
  for (const ClusterSpec::Job& job : spec.job_list()) {
    for (const auto& [index, address] : job.tasks) {
      Member& member = members.emplace_back(job.name, index);
      member.name = "train/" + address.substr(0, address.find(':')) + "-x7k2p";
      member.part.emplace("job", index / 2, 0).member = index % 2;
    }
  }
  const Result<OwnTask> in_part = find_own_task(spec, *environment, machine, {}, members);
  require_sane(in_part);
  if (in_part) require(spec.task_address(in_part->job, in_part->index).has_value());
  for (const Testimony& said : hear_witnesses(*environment)) require(!said.evidence.empty() || !said.fault.empty());
  for (const Launcher place : {Launcher::torch, Launcher::jax}) {
    const Result<AutoCluster> cluster = read_first_host_cluster(place, *environment, AutoOptions(), 64);
    require_sane(cluster);
    if (cluster) require(cluster->spec.task_address("worker", cluster->task_id).has_value());
  }
  return 0;
}
