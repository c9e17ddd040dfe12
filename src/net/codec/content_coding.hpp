// What an answer's Content-Encoding means.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

#include "base/text.hpp"

namespace rollcall {

/// True: gzip; false: the content is sent as it is; none: a coding that was not asked for.
inline std::optional<bool> is_gzip_coding(std::string_view value) noexcept {
  if (equals_ignoring_case(value, "gzip") || equals_ignoring_case(value, "x-gzip")) return true;
  if (value.empty() || equals_ignoring_case(value, "identity")) return false;
  return std::nullopt;
}

/// The limit of an encoded body whose content may have `max_body_bytes`: compression lengthens incompressible data by no more.
constexpr std::size_t max_encoded_bytes(std::size_t max_body_bytes) noexcept {
  const bool has_room = max_body_bytes < std::numeric_limits<std::size_t>::max() / 2;
  return has_room ? max_body_bytes + max_body_bytes / 1000 + 1024 : max_body_bytes;
}

}  // namespace rollcall
