// The range of keys that begin with a prefix.
#pragma once

#include <string>
#include <string_view>

namespace rollcall::store {

/// The first key behind those that begin with `prefix`; a zero byte: there is none.
std::string end_of_prefix(std::string_view prefix);
/// The first key of those that begin with `prefix`; a key has at least one byte.
std::string begin_of_prefix(std::string_view prefix);

}  // namespace rollcall::store
