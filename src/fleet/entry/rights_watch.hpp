// Notices that rights have changed since an answer, or a part of it, was judged.
#pragma once

#include <cstdint>
#include <utility>

#include "fleet/entry/admission.hpp"

namespace rollcall::fleet {

/// One number, since each stream has one: the Admission is always the same. Lists and streams are judged again only when it has changed.
class RightsWatch {
 public:
  explicit RightsWatch(const Admission& admission) noexcept : seen_(admission.rights_version()) {}
  /// True if the rights have changed since the last renew(), or since the construction.
  bool has_changed(const Admission& admission) const noexcept { return seen_ != admission.rights_version(); }
  /// True if the client must be judged again: the rights have changed, or its proof of identity is over.
  bool is_outdated(const Admission& admission, const Client& client) const {
    return has_changed(admission) || admission.is_proof_over(client);
  }
  /// The present rights count from now on. True if they have changed.
  bool renew(const Admission& admission) noexcept { return std::exchange(seen_, admission.rights_version()) != admission.rights_version(); }

 private:
  std::uint64_t seen_;
};

}  // namespace rollcall::fleet
