// Messages for a wait that ends without success. Pure.
#pragma once

#include <string>

#include "rollcall/wait_progress.hpp"

namespace rollcall {

/// True if no part of the cluster exists, nor is being created.
bool is_absent(const ClusterStatus& status) noexcept;

/// A summary of the progress for the message. `subject` is the beginning of the message.
std::string wait_summary(const WaitProgress& progress, const std::string& subject);

/// The hint at the deadline if more time would not help; else empty. `members`: the number awaited, 0: by the topology.
std::string hint_of_late_wait(const WaitProgress& progress, int members);

}  // namespace rollcall
