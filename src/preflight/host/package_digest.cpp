#include "preflight/host/package_digest.hpp"

#include <fmt/format.h>

#include "crypto/signature.hpp"

namespace rollcall {

std::string package_digest(const std::vector<std::string>& packages) {
  constexpr std::size_t digest_bytes = 8;
  std::string list;
  for (const std::string& package : packages) list += package + "\n";
  const char* const plural = packages.size() == 1 ? "" : "s";
  return fmt::format("{} of {} package{}", to_hex(sha256(list).substr(0, digest_bytes)), packages.size(), plural);
}

}  // namespace rollcall
