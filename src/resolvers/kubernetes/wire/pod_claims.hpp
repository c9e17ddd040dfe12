// The claims of a pod to devices, and what its containers use of them. Source: Kubernetes API v1, PodSpec.resourceClaims [facts:
// k8s-claims].
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall {

/// A claim as the pod names it.
class PodClaim {
 public:
  std::string name;    ///< within the pod
  std::string object;  ///< the name of the ResourceClaim; empty: it is not made yet
  bool is_needless = false;  ///< no ResourceClaim was needed for it
  friend bool operator==(const PodClaim&, const PodClaim&) = default;
};

/// What a container uses.
class PodClaimUse {
 public:
  std::string name;     ///< PodClaim::name
  std::string request;  ///< one of the claim's requests; empty: all of them
  friend bool operator==(const PodClaimUse&, const PodClaimUse&) = default;
};

/// Collects the claims of one pod.
class PodClaims {
 public:
  bool empty() const noexcept { return claims_.empty(); }
  void clear() { *this = PodClaims(); }
  const std::vector<PodClaim>& claims() const noexcept { return claims_; }
  /// Each once.
  const std::vector<PodClaimUse>& uses() const noexcept { return uses_; }
  /// There are more than are kept.
  bool is_cut() const noexcept { return is_cut_; }

  /// `is_status`: the list of the claims that were made for the pod.
  void begin_list(bool is_status) { is_status_ = is_status; }
  void note_name(std::string_view name) { name_ = kept(name); }
  void note_object(std::string_view name) { object_ = kept(name); }
  void note_request(std::string_view name) { request_ = kept(name); }
  void end_claim();
  void end_use();
  friend bool operator==(const PodClaims&, const PodClaims&) = default;
  /// Without the object itself.
  friend std::size_t memory_of(const PodClaims& claims);

 private:
  static std::string_view kept(std::string_view name) { return name.substr(0, 300); }  // longer than any name

  std::vector<PodClaim> claims_;
  std::vector<PodClaimUse> uses_;
  bool is_status_ = false;
  bool is_cut_ = false;
  // Of the entry that is being read.
  std::string name_;
  std::string object_;
  std::string request_;
};

}  // namespace rollcall
