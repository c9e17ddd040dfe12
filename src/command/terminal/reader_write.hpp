// Writing to whoever reads us: a pipe, a terminal. A reader that does not read must not make us deaf to signals.
#pragma once

#include <string_view>

namespace rollcall::command {

/// All of `text`. While the reader does not read it waits, but no longer than until a signal has come (EINTR, see interrupt_writes_by()),
/// and not at all after stop_waiting_for_readers() (EAGAIN). False when not all could be written; errno says why.
/// What standard error is not told then is counted, and the number is told as soon as its reader reads again.
bool write_to_reader(int fd, std::string_view text) noexcept;

/// False: whoever writes there has to wait for a reader.
bool takes_more(int fd) noexcept;

/// `fd` can be read when there is a signal that somebody has to deal with; -1: none is caught.
void interrupt_writes_by(int fd) noexcept;

/// From here on: what this process still has to do is more important than that somebody reads of it.
void stop_waiting_for_readers() noexcept;

/// Standard error is told how many lines nobody read, if somebody reads now.
void tell_left_out() noexcept;

}  // namespace rollcall::command
