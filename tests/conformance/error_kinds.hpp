// Which of the format's error kinds a failure of the library is. The one place where codes meet kinds.
#pragma once

#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall::conformance {

/// All kinds that the failure may count as. `is_tpu`: it comes from a resolver that looks up TPUs, for which every answer of the TPU API
/// that is no node is a ValueError as well (rule H4 of tests/vectors/README.md).
std::vector<std::string_view> kinds_of(const Failure& failure, bool is_tpu);

}  // namespace rollcall::conformance
