// Escapes text for a terminal: the last step for all text on standard output and standard error. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rollcall::command {

// The styles that this command uses.
inline constexpr std::string_view bold_style = "\x1b[1m";
inline constexpr std::string_view dim_style = "\x1b[2m";
inline constexpr std::string_view error_style = "\x1b[1;31m";
inline constexpr std::string_view ready_style = "\x1b[32m";
inline constexpr std::string_view waiting_style = "\x1b[33m";
inline constexpr std::string_view lost_style = error_style;
inline constexpr std::string_view plain_style = "\x1b[0m";

/// `text` with everything escaped that printable() escapes, except line ends and, with `with_style`, the styles above.
std::string safe_text(std::string_view text, bool with_style);
/// True if safe_text() has nothing to escape, in either mode: most text is plain ASCII.
bool is_plain_text(std::string_view text) noexcept;

}  // namespace rollcall::command
