// A list of resource claims, and the versions of their API.
#include "resolvers/kubernetes/wire/resource_claim.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  require_sane(choose_claim_version(text));
  const Result<ResourceClaimPage> page = parse_resource_claims(text);
  require_sane(page);
  if (!page) return 0;
  for (const ResourceClaim& claim : page->claims) {
    require(!claim.name.empty());
    for (const ClaimedDevices& devices : claim.devices) require(!devices.count || *devices.count > 0);
  }
  return 0;
}
