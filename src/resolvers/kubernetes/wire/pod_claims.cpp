#include "resolvers/kubernetes/wire/pod_claims.hpp"

#include <algorithm>
#include <utility>

namespace rollcall {
namespace {

constexpr std::size_t max_claims = 256;  // of one pod

}  // namespace

// The list of the pod's spec and that of its status may come in any order.
void PodClaims::end_claim() {
  const std::string name = std::exchange(name_, {});
  std::string object = std::exchange(object_, {});
  auto found = std::find_if(claims_.begin(), claims_.end(), [&name](const PodClaim& claim) { return claim.name == name; });
  if (found == claims_.end()) {
    if (claims_.size() == max_claims) {
      is_cut_ = true;
      return;
    }
    found = claims_.emplace(claims_.end());
    found->name = name;
  }
  if (is_status_ && object.empty()) found->is_needless = true;
  if (!object.empty()) found->object = std::move(object);
}

void PodClaims::end_use() {
  PodClaimUse use;
  use.name = std::exchange(name_, {});
  use.request = std::exchange(request_, {});
  if (std::find(uses_.begin(), uses_.end(), use) != uses_.end()) return;
  if (uses_.size() == max_claims) {
    is_cut_ = true;
    return;
  }
  uses_.push_back(std::move(use));
}

std::size_t memory_of(const PodClaims& claims) {
  std::size_t bytes = claims.claims_.capacity() * sizeof(PodClaim) + claims.uses_.capacity() * sizeof(PodClaimUse);
  const auto add = [&bytes](const std::string& text) { bytes += text.size() > 15 ? text.capacity() + 17 : 0; };
  for (const PodClaim& claim : claims.claims_) {
    add(claim.name);
    add(claim.object);
  }
  for (const PodClaimUse& use : claims.uses_) {
    add(use.name);
    add(use.request);
  }
  return bytes;
}

}  // namespace rollcall
