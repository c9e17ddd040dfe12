#include "resolvers/slurm/wire/slurm_node.hpp"

#include <algorithm>

namespace rollcall {
SlurmNodeRecord read_slurm_node(const SlurmObject& object) {
  SlurmNodeRecord node;
  node.name = object.text("name");
  if (node.name.empty()) object.complain("name", "is missing");
  node.address = object.text("address");
  node.port = object.count("port");
  for (const std::string_view key : {"state", "state_flags"}) {
    for (std::string& state : object.upper_words(key, '+')) node.states.push_back(std::move(state));
  }
  if (node.states.empty()) object.complain("state", "is missing");
  node.partitions = object.words("partitions");
  node.features = object.words("active_features");
  if (node.features.empty()) node.features = object.words("features");
  node.gres = object.text("gres");
  node.gres_used = object.text("gres_used");
  node.cpus = object.count("cpus");
  node.memory = object.number("real_memory").value.value_or(0);
  node.reason = object.text("reason");
  node.reason_by = object.text("reason_set_by_user");
  node.reason_at = object.time("reason_changed_at");
  node.reservation = object.text("reservation");
  return node;
}

bool SlurmNodeRecord::is(std::string_view state) const { return std::find(states.begin(), states.end(), state) != states.end(); }

}  // namespace rollcall
