// The lines of a file of hosts, and what its readers say of a bad one.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/endpoint.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// invalid_argument, with the line's number and text.
Failure bad_line(std::size_t number, std::string_view line, std::string_view what);

/// True if the host looks like a token: a token file given by mistake as a file of hosts would be published as a host's name.
bool is_secret_host(const Endpoint& endpoint);

/// The host that the word is: a name or an address, without a port. Errors: invalid_argument, which never prints a token.
Result<std::string> read_host(std::string_view word);

/// Calls `use` with number and text of every line that is not only a comment.
Result<void> each_line(std::string_view text, const std::function<Result<void>(std::size_t, std::string_view)>& use);

/// The text before the first blank. `line` becomes the rest, without blanks at its ends.
std::string_view next_word(std::string_view& line);

/// The number after the last colon, unless that colon is part of an IPv6 address.
std::optional<int> number_behind_colon(std::string_view word);

}  // namespace rollcall
