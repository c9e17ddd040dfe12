// Maps a failure of the library to the format's error kinds. The only place that relates codes and kinds.
#pragma once

#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall::conformance {

/// All kinds that the failure may count as. `is_tpu`: it comes from a resolver that looks up TPUs, for which every answer of the TPU API
/// that is not a node is a ValueError as well (rule H4 of tests/vectors/README.md).
std::vector<std::string_view> kinds_of(const Failure& failure, bool is_tpu);

}  // namespace rollcall::conformance
