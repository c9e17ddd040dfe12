// Catch2 3 with the names that the tests use of Catch2 2. Found only where version 3 is (cmake/tests.cmake).
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
