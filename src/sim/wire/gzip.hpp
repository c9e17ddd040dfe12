// Compression of an answer's body.
#pragma once

#include <string>
#include <string_view>

namespace rollcall::sim {

std::string gzip(std::string_view text);

}  // namespace rollcall::sim
