// Standard output and standard error of a command: plain writes, no streams.
#pragma once

#include <string_view>

namespace rollcall::tools {

/// Descriptors 0 to 2 are open afterwards, so that no socket can take the place of a closed one. SIGPIPE is ignored from
/// here on.
void prepare_descriptors() noexcept;

/// All of `text`. False when it could not be written; errno says why.
bool write_all(int fd, std::string_view text) noexcept;

/// Results. When the reader has gone (EPIPE) the process ends quietly, as if by SIGPIPE. Another error: says so on standard
/// error and returns false.
bool write_result(std::string_view text) noexcept;
/// What write_result() does about an error, after which this process has nothing left to do.
void end_unheard(int error) noexcept;

/// One line on standard error, `rollcall: ` in front.
void complain(std::string_view text);
/// Lines as they are on standard error.
void report(std::string_view text) noexcept;

/// Whether `fd` is a terminal, and colours are welcome there (NO_COLOR is unset or empty, TERM is not dumb).
bool is_terminal(int fd) noexcept;
bool wants_colour(int fd) noexcept;
/// Columns of the terminal at `fd`, 80 when unknown.
int terminal_width(int fd) noexcept;
/// Lines of the terminal at `fd`, 24 when unknown.
int terminal_height(int fd) noexcept;

}  // namespace rollcall::tools
