// The manual page in troff form, from the tables; pure.
#pragma once

#include <string>
#include <string_view>

namespace rollcall::tools {

std::string manual_page(std::string_view version);

}  // namespace rollcall::tools
