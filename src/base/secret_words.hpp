// Hides secrets in text of a program, or of a file with unexpected content: parts that look like a secret are not shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rollcall {

/// True if `text` starts like a token, a key or PEM (`eyJ…`, `ya29.…`, `-----BEGIN`).
bool begins_as_secret(std::string_view text) noexcept;

/// True if `word` looks like a secret: it starts like one, or it has random letters and digits. Names of hosts, pods and machines do not.
bool looks_secret(std::string_view word) noexcept;

/// The same for places with names of machines, in which small letters and digits may be random.
bool looks_secret_for_name(std::string_view name) noexcept;

/// `text` with parts that look like a secret replaced by `***`: words that do, the text after `password:`, `token=` or `secret access key`,
/// the user and the password of a URL, a whole PEM block. Applying it twice changes nothing.
std::string without_secrets(std::string_view text);
/// without_secrets() between single quotes, as quoted() does.
std::string quoted_words(std::string_view text, std::size_t max_bytes = 256);

}  // namespace rollcall
