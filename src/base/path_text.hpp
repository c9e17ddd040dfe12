// Prints a path from outside. The variable or option may wrongly contain the file's content, or a token instead: that is never shown.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/environment.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// True if `text` cannot be a path: a file's content (several lines, JSON, PEM), a token, or longer than the system's limit for paths.
bool holds_content(std::string_view text) noexcept;

/// `path` printable(); parts that look like a secret are `***`, and for a text that is no path only its length is given.
std::string path_text(std::string_view path, std::size_t max_bytes = 256);
/// path_text() between single quotes.
std::string quoted_path(std::string_view path, std::size_t max_bytes = 256);

/// The same for a target, `scheme:body,key=value`: values that look like a secret, or like a file's content, are `***`.
std::string target_text(std::string_view target, std::size_t max_bytes = 256);
std::string quoted_target(std::string_view target, std::size_t max_bytes = 256);

/// For `name`, a variable, an option or a key whose value is a path. Errors: invalid_argument, "NAME holds a file's content, not its path".
[[nodiscard]] Result<void> check_path(std::string_view name, std::string_view path);
/// The path in a variable; empty if it is not set. Errors: as check_path.
Result<std::string> path_variable(const Environment& environment, std::string_view name);

}  // namespace rollcall
