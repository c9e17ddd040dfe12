// Text of a program, or of a file that is another than it should be: what in it looks like a secret is not repeated.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rollcall {

/// True if `text` begins as tokens, keys and PEM do (`eyJ…`, `ya29.…`, `-----BEGIN`).
bool begins_as_secret(std::string_view text) noexcept;

/// True if `word` looks like a secret: it begins as one, or it has random letters and digits. Names of hosts, pods and machines do not.
bool looks_secret(std::string_view word) noexcept;

/// The same where names of machines stand, in which small letters and digits may be random.
bool looks_secret_for_name(std::string_view name) noexcept;

/// `text` with `***` in the place of what looks like a secret: words that do, what `password:`, `token=` or `secret access key` says is
/// one, the user and the password of a URL, all of a PEM block. A second time changes nothing.
std::string without_secrets(std::string_view text);
/// without_secrets() between single quotes, as quoted() has it.
std::string quoted_words(std::string_view text, std::size_t max_bytes = 256);

}  // namespace rollcall
