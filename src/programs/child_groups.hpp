// Process groups of the running programs that this process has started: if it is terminated, they are killed, too.
#pragma once

#include <sys/types.h>

namespace rollcall {

/// From any thread. At most 256 at a time; further ones are not tracked.
void note_child_group(pid_t leader) noexcept;
/// Call before the leader is reaped: its process id may be reused then.
void forget_child_group(pid_t leader) noexcept;
/// SIGKILL to all of them. Safe in a signal handler.
void kill_child_groups() noexcept;

}  // namespace rollcall
