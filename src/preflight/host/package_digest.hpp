// By what lists of packages are compared.
#pragma once

#include <string>
#include <vector>

namespace rollcall {

/// `9f86d081884c7d65 of 214 packages`: the same for the same list only. It has the first 64 bits of SHA-256, so it is no proof.
std::string package_digest(const std::vector<std::string>& packages);

}  // namespace rollcall
