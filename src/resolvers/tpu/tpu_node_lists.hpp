// One nodes.list instead of many nodes.get: one list per API root, project and zone, shared by all TPUs of a call.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "call/single_flight.hpp"
#include "resolvers/tpu/tpu_api.hpp"
#include "resolvers/tpu/wire/tpu_node_list.hpp"

namespace rollcall {

/// A zone's nodes by id, and the locations that did not answer.
class TpuNodeIndex {
 public:
  explicit TpuNodeIndex(std::shared_ptr<MemoryAccount> account) : memory(std::move(account)) {}
  /// Moves the page's nodes and faults into this index.
  void add_page(TpuNodeListParser& page);
  std::map<std::string, TpuNode, std::less<>> nodes;
  std::map<std::string, Failure, std::less<>> faults;  ///< nodes whose description is malformed
  std::vector<std::string> unreachable;
  MemoryShare memory;  ///< of all pages
};

/// The lists that the resolvers of one call share (TpuLookup::list).
class TpuNodeLists {
 public:
  class List {
   public:
    std::shared_ptr<const TpuNodeIndex> index;  ///< null until the list has been read
    SingleFlight<std::shared_ptr<const TpuNodeIndex>> flight;
  };
  std::map<std::string, List, std::less<>> by_url;
};

/// As ask_tpu, by the list. A node that is missing from a complete list is not_found; from an incomplete one, unavailable.
asio::awaitable<Result<TpuNode>> look_up_in_list(Call& call, const TpuPlan& plan, const TpuApiRoot& root);

}  // namespace rollcall
