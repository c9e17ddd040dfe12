// The version that --version prints.
#pragma once

#include <string_view>

namespace rollcall::tools {

/// The project's version, such as "0.1.0".
std::string_view version() noexcept;

}  // namespace rollcall::tools
