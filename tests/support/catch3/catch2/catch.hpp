// Catch2 3 under the names of Catch2 2 that the tests use. In the include path only with version 3 (cmake/tests.cmake).
#pragma once

#include <catch2/catch_all.hpp>
#include <string>

namespace Catch {

using Matchers::EndsWith;
using Matchers::Matches;
using Matchers::StartsWith;
using Matchers::VectorContains;

inline auto Contains(const std::string& part, CaseSensitive sensitivity = CaseSensitive::Yes) {
  return Matchers::ContainsSubstring(part, sensitivity);
}

}  // namespace Catch

using Catch::Approx;
