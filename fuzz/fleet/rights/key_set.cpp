// Fuzz target: the keys of an issuer. Checks that accepted keys are bounded, that OpenSSL takes or refuses each key without a fault, and
// that an empty signature is never valid.
#include "fleet/rights/wire/key_set.hpp"

#include <cstdint>

#include "check.hpp"
#include "crypto/public_key.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  using namespace rollcall;
  using namespace rollcall::fleet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  require_sane(parse_issuer(text));
  const Result<std::vector<WebKey>> keys = parse_key_set(text);
  require_sane(keys);
  if (!keys) return 0;
  require(!keys->empty() && keys->size() <= max_keys_of_issuer);
  for (const WebKey& key : *keys) {
    if (!key.fault.empty()) continue;
    const bool is_rsa = key.algorithm == SignatureAlgorithm::rs256;
    if (is_rsa) require(key.modulus.size() >= 256 && key.modulus.size() <= 1024 && key.exponent.size() <= 8);
    const Result<PublicKey> made = is_rsa ? rsa_public_key(key.modulus, key.exponent) : p256_public_key(key.x, key.y);
    if (made) require(!has_signed(*made, "nothing", std::string(is_rsa ? key.modulus.size() : 64, '\0')));
  }
  return 0;
}
