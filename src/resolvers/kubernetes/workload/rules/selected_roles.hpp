// Which pods of a workload a label selector can match: all of a role, some of its parts, or none. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "resolvers/kubernetes/workload/wire/workload.hpp"

namespace rollcall {

/// A role of which a selector matches `parts` times `members` pods.
class SelectedRole {
 public:
  const WorkloadRole* role = nullptr;
  int parts = 0;
  int members = 0;
  bool is_whole() const noexcept { return parts == role->parts && members == role->members; }
  int size() const noexcept;
};

class SelectedRoles {
 public:
  SelectedRoles() {}
  std::vector<SelectedRole> roles;
  /// A requirement of which it is not known how many of the pods meet it: `rack=1`. Empty: all is known.
  std::string unknown;
  bool names_workload = false;  ///< it requires a label that only pods of this workload have
};

/// `workload` must outlive the result.
SelectedRoles roles_selected_by(std::string_view selector, const Workload& workload);

}  // namespace rollcall
