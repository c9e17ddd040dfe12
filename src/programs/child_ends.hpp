// Children of this process whose end two parts of it wait for: the one that started a child, and the one that reaps whatever ends, as
// process 1 must. The second tells the first.
#pragma once

#include <sys/types.h>

#include <optional>

namespace rollcall {

/// From any thread. Whoever starts a child expects its end, until forget_child().
void expect_child_end(pid_t child);
/// A child was reaped with this wait status. Nothing happens unless its end is expected.
void note_child_end(pid_t child, int wait_status);
/// The wait status that was noted, if any.
std::optional<int> noted_child_end(pid_t child);
void forget_child(pid_t child);
/// True if somebody expects its end: it is a child of the library's.
bool is_child_expected(pid_t child);

}  // namespace rollcall
