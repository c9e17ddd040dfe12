// Whose status gives way where the memory of a fleet is used up. Pure.
//
// Decision: room goes to those who take the least (max-min fairness), first between namers, then between the resources of one namer. Names
// are free: `job=` makes any number of targets of one cluster, and each has a status of its own. A topic that several have named counts as
// that one's who takes the least, so that it costs a client nothing that a greedy one has named its cluster before.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// What one topic takes, or wants.
class MemoryClaim {
 public:
  MemoryClaim() {}
  std::size_t bytes = 0;
  bool is_listened_to = true;
  SteadyTime left_at{};           ///< since when it has no listeners
  std::size_t number = 0;         ///< in the order in which topics were named
  std::string_view resource;      ///< as resource_of() has it
  const std::vector<std::string>* namers = nullptr;  ///< identities or addresses; none: not told apart
};

/// Which of `held`, by index, have to give up what they take, so that `wanted` finds `missing` bytes more. What has no listeners goes
/// first, the longest left at the beginning; then the latest named of those who take more than the namer of `wanted` would, or of a
/// resource that takes more than its own would. None: that is not enough, and none has to.
std::optional<std::vector<std::size_t>> which_ends_first(const std::vector<MemoryClaim>& held, const MemoryClaim& wanted,
                                                         std::size_t missing);

}  // namespace rollcall::fleet
