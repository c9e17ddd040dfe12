#include "command/arguments/version.hpp"

namespace rollcall::tools {

std::string_view version() noexcept { return ROLLCALL_VERSION; }

}  // namespace rollcall::tools
