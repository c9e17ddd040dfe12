// A cluster, or its failure, as one text that tests compare.
#pragma once

#include <string>

#include "rollcall/resolver.hpp"
#include "rollcall/testing/virtual_loop.hpp"

namespace rollcall::testing {

/// JSON, or `code: message`.
inline std::string spec_text(const Result<ClusterSpec>& spec) {
  return spec ? spec->to_json() : std::string(to_string(spec.error().code())) + ": " + spec.error().message();
}

/// The same for a target; only the message if it is invalid.
inline std::string spec_text(VirtualLoop& loop, const Runtime& runtime, const std::string& target) {
  const auto resolver = make_resolver(runtime, target);
  return resolver ? spec_text(loop.run((*resolver)->try_cluster_spec())) : resolver.error().message();
}

}  // namespace rollcall::testing
