// Reads ResourceClaims, by which pods get devices from drivers. Source: the API resource.k8s.io, of which v1, v1beta2 and v1beta1 are
// read [facts: k8s-claims].
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "resolvers/kubernetes/wire/pod_resources.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// The accelerators that one request of a claim has, or asks for as long as nothing is allocated.
class ClaimedDevices {
 public:
  std::string request;
  PodResource kind = PodResource::other;
  std::optional<int> count;  ///< none: not known
  friend bool operator==(const ClaimedDevices&, const ClaimedDevices&) = default;
};

class ResourceClaim {
 public:
  std::string name;
  std::string namespace_name;
  std::vector<ClaimedDevices> devices;  ///< without what is no accelerator, and without access for administration
  friend bool operator==(const ResourceClaim&, const ResourceClaim&) = default;
};

class ResourceClaimPage {
 public:
  std::vector<ResourceClaim> claims;
  std::string next_page;
};

/// One page of a list. What the list says in a way that is not understood leaves a number open. Errors: malformed_response (not JSON, not a
/// list, a claim without a name), limit_exceeded.
Result<ResourceClaimPage> parse_resource_claims(std::string_view json, const ParseLimits& limits = {});

/// The newest version that is read of those which the API group has: `v1`. Errors: malformed_response, unimplemented (it has none of them).
Result<std::string> choose_claim_version(std::string_view group_json, const ParseLimits& limits = {});

}  // namespace rollcall
