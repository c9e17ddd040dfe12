// What is said of a wait that ends without success. Pure.
#pragma once

#include <string>

#include "rollcall/wait_progress.hpp"

namespace rollcall {

/// True if nothing of it exists; nothing is being made as long as that is so.
bool is_absent(const ClusterStatus& status) noexcept;

/// How it stands, for the message; `subject` is what the message begins with.
std::string wait_story(const WaitProgress& progress, const std::string& subject);

/// What to do at the deadline where more time is no cure; else empty. `members`: how many were awaited, 0: what the topology says.
std::string hint_of_late_wait(const WaitProgress& progress, int members);

}  // namespace rollcall
