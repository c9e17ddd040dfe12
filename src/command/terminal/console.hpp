// Standard output and standard error of a command: plain writes, no streams. Nothing else in this folder writes to them, so text of a
// service never reaches a terminal unescaped: everything is escaped here except line ends and this command's own styles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall::command {

/// Makes sure that descriptors 0 to 2 are open, so that no socket can take the number of a closed one; call it before opening anything.
/// SIGPIPE is ignored from here on.
void prepare_descriptors() noexcept;

/// Writes all of `text`, as it is, to a file or pipe. False when it could not be written; errno has the reason.
bool write_all(int fd, std::string_view text) noexcept;

/// Writes a result. When the reader has gone (EPIPE) the process ends quietly, as if by SIGPIPE. For another error: prints it on standard
/// error and returns false.
bool write_result(std::string_view text);
/// The same, but the caller handles an error; errno has the reason.
bool try_write_result(std::string_view text);
/// Writes a binary result as it is: not for a terminal. Errors as write_result().
bool write_bytes(std::string_view bytes);
/// The error handling of write_result(), for a process that has nothing else left to do.
void end_unheard(int error);

/// From here on messages for people on standard error are lines of JSON: `{"time":"…","event":"message","message":"…"}`.
void speak_json() noexcept;
/// `text` as such a line, or with `rollcall: ` in front.
std::string message_line(std::string_view text);

/// One line on standard error, `rollcall: ` in front.
void complain(std::string_view text);
/// The same for a failure; on a terminal the problem, the request and the hint have a line each.
void complain(const Failure& failure);
/// One line on standard error.
void report_line(std::string_view line);
/// A line of JSON there: `object` with the time in front, `{"time":"2026-11-22T10:00:00.123456Z",…}`.
void report_json(std::string_view object);
/// Replaces the last `shown` lines on the terminal of standard error; this command's styles are kept where colours are allowed. Each line
/// must be shorter than the terminal is wide.
void redraw_lines(std::size_t shown, const std::vector<std::string>& lines);
/// Replaces the text of the cursor's line there; the cursor stays in it.
void redraw_line(std::string_view line);

/// True if `fd` is a terminal where colours are allowed (NO_COLOR is unset or empty, TERM is not dumb).
bool is_terminal(int fd) noexcept;
bool wants_colour(int fd) noexcept;
/// True if `fd` is a terminal on which lines can be rewritten: TERM is set, and not to dumb.
bool is_redrawable(int fd) noexcept;
/// Columns of the terminal at `fd`, 80 when unknown.
int terminal_width(int fd) noexcept;
/// Lines of the terminal at `fd`, 24 when unknown.
int terminal_height(int fd) noexcept;

}  // namespace rollcall::command
