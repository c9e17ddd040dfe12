// SLURM_STEP_TASKS_PER_NODE.
#include <fmt/format.h>

#include "base/text.hpp"
#include "rollcall/host_list.hpp"

namespace rollcall {

Result<std::vector<int>> expand_tasks_per_node(std::string_view text, std::size_t max_nodes) {
  std::vector<int> tasks;
  for (std::string_view element : split(text, ',')) {
    std::optional<std::size_t> nodes = 1;
    const std::size_t bracket = element.find("(x");
    if (bracket != std::string_view::npos && element.ends_with(')')) {
      nodes = parse_decimal<std::size_t>(element.substr(bracket + 2, element.size() - bracket - 3));
      element = element.substr(0, bracket);
    }
    const std::optional<int> number = parse_decimal<int>(element);
    if (!number || !nodes) {
      return Failure(Errc::invalid_argument, fmt::format("tasks per node {}: {}", quoted(text),
                                                         element.empty() ? "an element is empty" : "an element is neither N nor N(xR)"))
          .with_hint("such as 3(x2),2,1");
    }
    if (*nodes > max_nodes - tasks.size()) {
      return Failure(Errc::limit_exceeded, fmt::format("tasks per node {}: more than {} nodes", quoted(text), max_nodes));
    }
    tasks.insert(tasks.end(), *nodes, *number);
  }
  return tasks;
}

}  // namespace rollcall
