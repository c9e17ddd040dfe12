// Reads what stands around the pods of a cluster that does not start: their controllers, events, nodes, queues, claims and quotas.
#pragma once

#include <asio/awaitable.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "resolvers/kubernetes/chain/chain_request.hpp"
#include "resolvers/kubernetes/chain/rules/chain_facts.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// Reads the facts for one status. The layers are asked in parallel, each within a second; a layer that cannot be read is left out and
/// named in ChainFacts::unread.
class ChainReader {
 public:
  /// All references must outlive it.
  ChainReader(Call& call, const ChainSource& source, const ClusterStatus& status);

  /// Errors: cancelled.
  asio::awaitable<Result<ChainFacts>> read();

 private:
  using Done = asio::awaitable<Result<void>>;

  // The members that do not start, or miss others beside them.
  void choose();
  Done read_pods(Call& call);
  Done read_owners(Call& call);
  asio::awaitable<Result<std::vector<KubeObject>>> read_roots(Call& call);
  Done read_stages(Call& call);
  Done read_events(Call& call);
  Done list_events(Call& call, std::string namespace_name, std::string selector);
  Done read_failed_creators(Call& call);
  Done read_nodes(Call& call);
  Done read_node(Call& call, std::string name);
  Done read_queue(Call& call);
  bool lacks_devices() const;
  Done read_largest(Call& call);
  std::set<PodGroupName> named_groups() const;
  Done read_groups(Call& call);
  Done read_group(Call& call, PodGroupName wanted);
  Done read_claims(Call& call);
  Done read_quotas(Call& call);

  asio::awaitable<Result<KubeObject>> read_owner_of(Call& call, const KubeObject& object);
  Done run_layer(ChainLayer layer, Done (ChainReader::*script)(Call&));
  bool is_wanted(const KubeEvent& event) const;
  bool knows(const KubeObject& object) const;
  std::string in_namespaces() const;

  Call& call_;
  const ChainSource& source_;
  const ClusterStatus& status_;
  ChainFacts facts_;
  bool is_all_ready_ = true;
  bool is_missing_ = false;                 // members that do not exist yet
  bool is_waiting_for_place_ = false;       // a member has no node
  bool is_starting_ = false;                // a member has a node and does not run
  std::set<std::string> namespaces_;        // of the members that are not ready
  std::set<std::string> uids_;              // of those
  std::set<std::string> hosts_;             // of all members
  std::vector<const Member*> samples_;      // whose pods are read
  std::set<std::pair<std::string, std::string>> claims_;      // namespace and name
};

}  // namespace rollcall
