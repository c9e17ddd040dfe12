// Fuzz target: SLURM_STEP_TASKS_PER_NODE.
#include "check.hpp"
#include "rollcall/host_list.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const auto tasks = expand_tasks_per_node(std::string_view(reinterpret_cast<const char*>(data), size), 3000);
  require_sane(tasks);
  if (!tasks) return 0;
  require(tasks->size() <= 3000);
  for (const int count : *tasks) require(count >= 0);
  return 0;
}
