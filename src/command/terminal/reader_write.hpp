// Writes to a pipe or terminal. A reader that does not read must not keep this process from handling signals.
#pragma once

#include <string_view>

namespace rollcall::command {

/// Writes all of `text`. While the reader does not read it waits, but only until a signal has come (EINTR, see interrupt_writes_by()), and
/// not at all after stop_waiting_for_readers() (EAGAIN). False when not all could be written; errno has the reason. Lines that standard
/// error drops then are counted, and their number is written as soon as its reader reads again.
bool write_to_reader(int fd, std::string_view text) noexcept;

/// False: a write there would have to wait for a reader.
bool takes_more(int fd) noexcept;

/// `fd` is readable when a signal is waiting to be handled; -1: none is caught.
void interrupt_writes_by(int fd) noexcept;

/// From here on writes do not wait for readers: the remaining work of this process is more important.
void stop_waiting_for_readers() noexcept;

/// Writes the number of dropped lines to standard error, if its reader reads now.
void report_dropped_lines() noexcept;

}  // namespace rollcall::command
