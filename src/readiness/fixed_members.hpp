// Clusters that never get more members: lists that a launcher or the user has given, in variables or in the target.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "rollcall/resolver.hpp"

namespace rollcall {

/// Derived from by resolvers that know. A list that is read again and may have grown, such as a file, is not one.
class FixedMembers {
 public:
  virtual ~FixedMembers() = default;
  virtual bool has_fixed_members() const = 0;
};

/// True if a wait for more members than there are would never end.
inline bool has_fixed_members(const ClusterResolver& resolver) {
  const auto* const fixed = dynamic_cast<const FixedMembers*>(&resolver);
  return fixed && fixed->has_fixed_members();
}

/// The same of all parts of a cluster.
inline bool all_have_fixed_members(const std::vector<std::shared_ptr<ClusterResolver>>& parts) {
  return std::all_of(parts.begin(), parts.end(), [](const auto& part) { return part && has_fixed_members(*part); });
}

}  // namespace rollcall
