// What the metadata server announces about this machine: preemption and maintenance [facts: metadata-wait, metadata-notices].
#pragma once

#include "rollcall/call.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// Waits at the metadata server (wait_for_change) for `instance/preempted` and `instance/maintenance-event`, each by a long poll of its
/// own, and reports what they say. Ends without a failure where there is no metadata server; otherwise only when cancelled.
asio::awaitable<Result<void>> follow_machine_notices(Call& call, StatusObserver& feed);

}  // namespace rollcall
