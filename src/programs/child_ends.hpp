// Coordinates two parts of this process that wait for the end of a child: the part that started the child, and the part that reaps every
// child, as process 1 must. The second notifies the first.
#pragma once

#include <sys/types.h>

#include <optional>

namespace rollcall {

/// From any thread. The part that starts a child expects its end, until forget_child().
void expect_child_end(pid_t child);
/// A child was reaped with this wait status. Ignored unless its end is expected.
void note_child_end(pid_t child, int wait_status);
/// The wait status that was noted, if any.
std::optional<int> noted_child_end(pid_t child);
void forget_child(pid_t child);
/// True if its end is expected: the library started it.
bool is_child_expected(pid_t child);

}  // namespace rollcall
