#include "resolvers/kubernetes/rules/claim_book.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace rollcall {
namespace {

const PodClaims* claims_of_pod(const FoundPod& pod) {
  return pod.details && pod.details->claiming ? &pod.details->claiming->claims : nullptr;
}

// The claims of a pod that its containers use.
template <class Visitor>
void visit_used_claims(const FoundPod& pod, const Visitor& visit) {
  const PodClaims* const claims = claims_of_pod(pod);
  if (!claims) return;
  for (const PodClaim& claim : claims->claims()) {
    const bool is_used =
        std::any_of(claims->uses().begin(), claims->uses().end(), [&claim](const PodClaimUse& use) { return use.name == claim.name; });
    if (is_used && !(claim.is_needless && claim.object.empty())) visit(claim, ClaimKey(pod.namespace_name, claim.object));
  }
}

bool has_use(const PodClaims& claims, const std::string& name, const std::string& request) {
  return std::any_of(claims.uses().begin(), claims.uses().end(),
                     [&](const PodClaimUse& use) { return use.name == name && (use.request.empty() || use.request == request); });
}

// What a pod has by its claims.
class ClaimedTotal {
 public:
  PodResources resources;
  bool is_known = true;
  std::set<ClaimKey> shared;  // claims of accelerators that other pods have, too
  bool has_own = false;  // accelerators that it alone has
};

class ClaimCounter {
 public:
  ClaimCounter(const std::vector<PodPointers>& pods, const ClaimBook& book) : book_(book) {
    for (const PodPointers& of_selector : pods) {
      for (const FoundPod* const pod : of_selector) note_users(*pod);
    }
    for (const PodPointers& of_selector : pods) {
      for (const FoundPod* const pod : of_selector) note_machine(*pod);
    }
  }

  // Absent: not known.
  std::optional<ClaimedTotal> count(const FoundPod& pod) const {
    ClaimedTotal total = total_of(pod);
    if (!total.is_known) return std::nullopt;
    if (total.shared.empty()) return total;
    const auto machine = machines_.find(pod.details->node);
    const bool is_alike = machine != machines_.end() && machine->second.size() == 1;
    return is_alike && !total.has_own ? std::optional<ClaimedTotal>(std::move(total)) : std::nullopt;
  }

 private:
  void note_users(const FoundPod& pod) {
    if (has_ended(pod)) return;
    visit_used_claims(pod, [&](const PodClaim&, const ClaimKey& key) { users_[key].insert(ClaimKey(pod.namespace_name, pod.name)); });
  }

  // Pods that share the same claims are one owner of accelerators, each other pod with accelerators is one.
  void note_machine(const FoundPod& pod) {
    if (!pod.details || pod.details->node.empty() || has_ended(pod)) return;
    std::set<ClaimKey> owner;
    if (claims_of_pod(pod)) {
      const ClaimedTotal total = total_of(pod);
      owner = total.shared;
      if (total.has_own || !total.is_known) owner.emplace(pod.namespace_name, "pod " + pod.name);
    } else if (!pod.details->accelerators || pod.details->accelerators->count > 0) {
      owner.emplace(pod.namespace_name, "pod " + pod.name);
    }
    if (!owner.empty()) machines_[pod.details->node].insert(std::move(owner));
  }

  ClaimedTotal total_of(const FoundPod& pod) const {
    const PodClaims& claims = *claims_of_pod(pod);
    ClaimedTotal total;
    total.resources = pod.details->claiming->resources;
    const std::optional<PodResources::Total> limits = total.resources.total();
    total.has_own = !limits || limits->kind;
    total.is_known = !claims.is_cut();
    visit_used_claims(pod, [&](const PodClaim& claim, const ClaimKey& key) {
      const ResourceClaim* const found = claim.object.empty() ? nullptr : book_.find(key);
      if (!found) {
        total.is_known = false;
        return;
      }
      const auto users = users_.find(key);
      const bool is_shared = users != users_.end() && users->second.size() > 1;
      for (const ClaimedDevices& devices : found->devices) {
        if (!has_use(claims, claim.name, devices.request)) continue;
        total.resources.add_claimed(devices.kind, devices.count);
        if (is_shared) {
          total.shared.insert(key);
        } else {
          total.has_own = true;
        }
      }
    });
    return total;
  }

  const ClaimBook& book_;
  std::map<ClaimKey, std::set<ClaimKey>> users_;  // the pods of each claim, by namespace and name
  std::map<std::string, std::set<std::set<ClaimKey>>, std::less<>> machines_;  // the owners of accelerators on each
};

}  // namespace

ClaimNeeds::ClaimNeeds(const std::vector<PodPointers>& pods) {
  for (const PodPointers& of_selector : pods) {
    for (const FoundPod* const pod : of_selector) {
      if (!claims_of_pod(*pod) || has_ended(*pod)) continue;
      const bool is_on_machine = !pod->details->node.empty();
      is_placed_ = is_placed_ && is_on_machine;
      visit_used_claims(*pod, [&](const PodClaim& claim, const ClaimKey& key) {
        if (claim.object.empty()) return;
        all_.insert(key);
        if (is_on_machine) placed_.insert(key);
      });
    }
  }
}

bool ClaimNeeds::is_part_of(const ClaimNeeds& other) const {
  return std::includes(other.all_.begin(), other.all_.end(), all_.begin(), all_.end()) &&
         std::includes(other.placed_.begin(), other.placed_.end(), placed_.begin(), placed_.end());
}

void ClaimBook::add(ResourceClaim claim) {
  ClaimKey key(claim.namespace_name, claim.name);
  claims_.insert_or_assign(std::move(key), std::move(claim));
}

const ResourceClaim* ClaimBook::find(const ClaimKey& key) const {
  const auto found = claims_.find(key);
  return found == claims_.end() ? nullptr : &found->second;
}

void count_claims(std::vector<PodPointers>& pods, const ClaimBook& book, FoundPodList& copies) {
  const bool has_claims = std::any_of(pods.begin(), pods.end(), [](const PodPointers& of_selector) {
    return std::any_of(of_selector.begin(), of_selector.end(), [](const FoundPod* pod) { return claims_of_pod(*pod); });
  });
  if (!has_claims) return;
  const ClaimCounter counter(pods, book);
  for (PodPointers& of_selector : pods) {
    for (const FoundPod*& pod : of_selector) {
      if (!claims_of_pod(*pod)) continue;
      const std::optional<ClaimedTotal> total = counter.count(*pod);
      if (!total) continue;
      auto details = std::make_shared<PodDetails>(*pod->details);
      set_claimed_accelerators(*details, total->resources, !total->shared.empty());
      FoundPod& copy = copies.emplace_back(*pod);
      copy.details = std::move(details);
      pod = &copy;
    }
  }
}

}  // namespace rollcall
