// A stable 64-bit hash as text; gzip.
#pragma once

#include <string>
#include <string_view>

namespace rollcall::sim {

/// FNV-1a, 16 hexadecimal digits.
std::string fingerprint(std::string_view bytes);

std::string gzip(std::string_view text);

}  // namespace rollcall::sim
