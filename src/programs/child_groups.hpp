// Process groups of programs that this process has started and has not seen end: what ends it at once ends them, too.
#pragma once

#include <sys/types.h>

namespace rollcall {

/// From any thread. Of more than 256 at a time the others are not known.
void note_child_group(pid_t leader) noexcept;
/// Before the leader is reaped: its number may be another's then.
void forget_child_group(pid_t leader) noexcept;
/// SIGKILL to all of them. May be called by a signal handler.
void kill_child_groups() noexcept;

}  // namespace rollcall
