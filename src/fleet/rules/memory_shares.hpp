// Which status gives up its memory when the memory of a fleet is used up. Pure.
//
// Decision: max-min fairness, first between the clients that name topics, then between the resources of one client. A client can invent
// names: `job=` makes any number of targets of one cluster, each with a status of its own. A topic of several clients is charged to the
// one that takes the least, so that a greedy client cannot harm another by naming its cluster first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// The memory that one topic takes, or wants.
class MemoryClaim {
 public:
  MemoryClaim() {}
  std::size_t bytes = 0;
  bool is_listened_to = true;
  SteadyTime left_at{};           ///< since when it has no listeners
  std::size_t number = 0;         ///< in the order in which topics were created
  std::string_view resource;      ///< from resource_of()
  const std::vector<std::string>* namers = nullptr;  ///< identities or addresses; null: not distinguished
};

/// Which of `held`, by index, have to give up their memory, so that `wanted` has `missing` bytes more. Topics without listeners come
/// first, in the order in which they lost them; then the latest topics of clients that take more than the client of `wanted` would, or of
/// resources that take more than its resource would. None: all of that is not enough, and no topic has to.
std::optional<std::vector<std::size_t>> which_ends_first(const std::vector<MemoryClaim>& held, const MemoryClaim& wanted,
                                                         std::size_t missing);

}  // namespace rollcall::fleet
