// Clusters that never get more members: lists from a launcher or the user, in variables or in the target.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "rollcall/resolver.hpp"

namespace rollcall {

/// Base of resolvers that can decide this. A list that is read again and may grow, such as a file, is not fixed.
class FixedMembers {
 public:
  virtual ~FixedMembers() = default;
  virtual bool has_fixed_members() const = 0;
};

/// True if a wait for more members than the cluster has would never end.
inline bool has_fixed_members(const ClusterResolver& resolver) {
  const auto* const fixed = dynamic_cast<const FixedMembers*>(&resolver);
  return fixed && fixed->has_fixed_members();
}

/// True if all parts of a cluster are fixed.
inline bool all_have_fixed_members(const std::vector<std::shared_ptr<ClusterResolver>>& parts) {
  return std::all_of(parts.begin(), parts.end(), [](const auto& part) { return part && has_fixed_members(*part); });
}

}  // namespace rollcall
