// Fuzz target: CLUSTER_SPEC, SKYPILOT_NODE_IPS, and Volcano's variables, a name and a value a line.
#include "resolvers/launchers/wire/worker_lists.hpp"

#include "base/text.hpp"
#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  constexpr std::size_t max = 64;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<WorkerPools> pools = parse_worker_pools(text, max);
  require_sane(pools);
  if (pools && !pools->pools.empty()) require(names_worker_pools(text));
  require_sane(parse_addresses("PADDLE_TRAINER_ENDPOINTS", text, max));
  const Result<std::vector<std::string>> nodes = parse_node_lines("SKYPILOT_NODE_IPS", text, max);
  require_sane(nodes);
  if (nodes) require(nodes->size() <= max);
  std::map<std::string, std::string, std::less<>> variables;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t equals = std::min(line.find('='), line.size());
    variables.emplace(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
  }
  const std::shared_ptr<const Environment> environment = fixed_environment(std::move(variables));
  const Result<std::vector<WorkerList>> lists = parse_volcano(*environment, max);
  require_sane(lists);
  if (lists) require(lists->size() == volcano_lists(*environment).size());
  return 0;
}
