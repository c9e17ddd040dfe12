// A dead node, seen by the port of its slurmd: Slurm itself says so only after SlurmdTimeout, which is 300 s unless a site sets it.
#pragma once

#include <asio/awaitable.hpp>
#include <map>
#include <string>
#include <vector>

#include "resolvers/slurm/wire/slurm_node.hpp"
#include "rollcall/call.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// Connects to each node's slurmd again and again. Only a change counts: a firewall may hide the port, so a node that has never answered is
/// not judged. [facts: slurmd-port]
class SlurmdProbe {
 public:
  /// At most so many nodes; of more none is asked.
  static constexpr std::size_t max_nodes = 1000;

  SlurmdProbe() {}
  /// The nodes that are asked from now on: those of `nodes` on which members of the status run.
  void set_nodes(const std::vector<SlurmNodeRecord>& nodes, const ClusterStatus& status);
  /// One round. True: a node that had answered does not any more, or answers again. Errors: cancelled.
  asio::awaitable<Result<bool>> ask(Call& call);
  /// The pause before the next round.
  Duration pause() const;
  /// Names the nodes that do not answer any more.
  void describe(ClusterStatus& status) const;

 private:
  class Node {
   public:
    Endpoint slurmd;
    bool has_answered = false;
    int silent = 0;  ///< rounds in a row
    std::string trouble;  ///< of the last round
    WallTime since;  ///< of the silence
  };

  std::map<std::string, Node> nodes_;
};

}  // namespace rollcall
