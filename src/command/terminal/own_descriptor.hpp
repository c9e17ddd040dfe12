// Descriptors 0 to 2 are shared with other processes: O_NONBLOCK set on them would disturb the shell that started this one.
#pragma once

namespace rollcall::command {

/// Opens the pipe or terminal of `given` again, as an open file of this process, whose reads and writes do not block. `access`: O_RDONLY or
/// O_WRONLY. -1 if it cannot be opened again: sockets, files of other users, and files that are neither pipes nor character devices.
int open_beside(int given, int access) noexcept;

}  // namespace rollcall::command
