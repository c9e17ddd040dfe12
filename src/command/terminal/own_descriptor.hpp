// Descriptors 0 to 2 are others' as well: the shell that started us would not expect them to stop waiting.
#pragma once

namespace rollcall::command {

/// The same pipe or terminal as `given` by an open file of our own, whose reads and writes do not wait. `access`: O_RDONLY or O_WRONLY. -1
/// for what cannot be opened anew: sockets, files of others, and what is no pipe and no character device.
int open_beside(int given, int access) noexcept;

}  // namespace rollcall::command
