// The secret that members share, from its file.
#pragma once

#include <asio/awaitable.hpp>
#include <string>

#include "rollcall/call.hpp"
#include "rollcall/secret.hpp"

namespace rollcall::meeting {

inline constexpr std::size_t min_secret_bytes = 16;

/// The first line of `path`, or of the file that ROLLCALL_SECRET_FILE names if `path` is empty; empty: neither names one. Warns of a file
/// that others can read. May suspend; cancellable. Errors: those of reading; invalid_argument: it has fewer than min_secret_bytes, or a
/// byte of zero. No message has any of it.
asio::awaitable<Result<Secret<std::string>>> read_shared_secret(Call& call, std::string path);

}  // namespace rollcall::meeting
