// What every store does before it asks its engine.
#pragma once

#include <string>
#include <string_view>

#include "store/store.hpp"

namespace rollcall::store {

/// Errors: invalid_argument: too many compares or writes, a key that is written twice, or an empty one; limit_exceeded: too many bytes.
Result<void> check_transaction(const Store& store, const Transaction& transaction);

/// The first key behind those that begin with `prefix`; a zero byte: there is none.
std::string end_of_prefix(std::string_view prefix);
/// The first key of those that begin with `prefix`; a key has at least one byte.
std::string begin_of_prefix(std::string_view prefix);

/// What is asked, for messages: "a write of 'key' (3 writes)".
std::string shown(const Transaction& transaction);

}  // namespace rollcall::store
