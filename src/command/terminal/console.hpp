// Standard output and standard error of a command: plain writes, no streams. Nothing else in this folder writes to them, so that no text
// of a service gets to a terminal as it is, whatever a command forgets: everything is escaped here, but line ends and our own styles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall::command {

/// Descriptors 0 to 2 are open afterwards, so that no socket can take the place of a closed one: call it before anything is opened.
/// SIGPIPE is ignored from here on.
void prepare_descriptors() noexcept;

/// All of `text`, as it is, into a file or pipe. False when it could not be written; errno says why.
bool write_all(int fd, std::string_view text) noexcept;

/// Results. When the reader has gone (EPIPE) the process ends quietly, as if by SIGPIPE. Another error: says so on standard
/// error and returns false.
bool write_result(std::string_view text);
/// The same, but an error is left to the caller; errno says which.
bool try_write_result(std::string_view text);
/// Results that are no text, as they are: not for a terminal. Errors as write_result().
bool write_bytes(std::string_view bytes);
/// What write_result() does about an error, after which this process has nothing left to do.
void end_unheard(int error);

/// From here on what is said to people on standard error are lines of JSON: `{"time":"…","event":"message","message":"…"}`.
void speak_json() noexcept;
/// `text` as such a line, else with `rollcall: ` in front.
std::string message_line(std::string_view text);

/// One line on standard error, `rollcall: ` in front.
void complain(std::string_view text);
/// The same of a failure; on a terminal what went wrong, who was asked and what to do have a line each.
void complain(const Failure& failure);
/// One line on standard error.
void report_line(std::string_view line);
/// A line of JSON there: `object` with the time in front, `{"time":"2026-11-22T10:00:00.123456Z",…}`.
void report_json(std::string_view object);
/// Lines on the terminal of standard error in the place of the last `shown` ones, our own styles in them where colours are welcome. Each
/// must be shorter than it is wide.
void redraw_lines(std::size_t shown, const std::vector<std::string>& lines);
/// What the cursor's line there shows from now on; the cursor stays in it.
void redraw_line(std::string_view line);

/// Whether `fd` is a terminal, and colours are welcome there (NO_COLOR is unset or empty, TERM is not dumb).
bool is_terminal(int fd) noexcept;
bool wants_colour(int fd) noexcept;
/// Whether `fd` is a terminal on which lines can be written anew: TERM is set, and not to dumb.
bool is_redrawable(int fd) noexcept;
/// Columns of the terminal at `fd`, 80 when unknown.
int terminal_width(int fd) noexcept;
/// Lines of the terminal at `fd`, 24 when unknown.
int terminal_height(int fd) noexcept;

}  // namespace rollcall::command
