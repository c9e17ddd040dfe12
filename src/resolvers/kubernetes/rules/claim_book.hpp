// Counts the accelerators of pods by their resource claims. Pure [facts: k8s-claims].
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "resolvers/kubernetes/rules/found_pod.hpp"
#include "resolvers/kubernetes/wire/resource_claim.hpp"

namespace rollcall {

/// A ResourceClaim, by namespace and name.
using ClaimKey = std::pair<std::string, std::string>;

/// The ResourceClaims that pods name.
class ClaimNeeds {
 public:
  ClaimNeeds() {}
  /// Of the pods that have not ended.
  explicit ClaimNeeds(const std::vector<PodPointers>& pods);
  bool empty() const noexcept { return all_.empty(); }
  bool contains(const ClaimKey& key) const { return all_.contains(key); }
  /// All pods with claims have a machine. Then their claims are allocated.
  bool is_placed() const noexcept { return is_placed_; }
  /// True if each claim is in `other`, and those of pods with a machine were those of pods with a machine there.
  bool is_part_of(const ClaimNeeds& other) const;

 private:
  std::set<ClaimKey> all_;
  std::set<ClaimKey> placed_;
  bool is_placed_ = true;
};

class ClaimBook {
 public:
  ClaimBook() {}
  void add(ResourceClaim claim);
  /// Null: it is not known.
  const ResourceClaim* find(const ClaimKey& key) const;

 private:
  std::map<ClaimKey, ResourceClaim> claims_;
};

/// Replaces each pod with claims by a copy in `copies` with its accelerators, as far as they are known. Those that pods share belong to the
/// machine. They are not known where a machine's pods have both shared accelerators and others, since a member has one number.
void count_claims(std::vector<PodPointers>& pods, const ClaimBook& book, FoundPodList& copies);

}  // namespace rollcall
