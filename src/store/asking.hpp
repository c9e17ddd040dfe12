// What every store does before it asks its engine.
#pragma once

#include <string>

#include "store/store.hpp"

namespace rollcall::store {

/// Errors: invalid_argument: too many compares or writes, too many bytes, a key that is written twice, or an empty one.
Result<void> check_transaction(const Store& store, const Transaction& transaction);

/// What is asked, for messages: "a write of 'key' (3 writes)".
std::string shown(const Transaction& transaction);

}  // namespace rollcall::store
