// Asks the metadata server what it knows of a TPU.
#pragma once

#include <asio/awaitable.hpp>

#include "resolvers/auto/auto_cluster.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

/// Probes, and asks for `facts` where a server answers. It is asked nothing where the environment forbids it. Where the firmware says
/// Google, there is no probe but the usual patience: a young machine's server comes late. Errors: invalid_argument (a bad
/// GCE_METADATA_HOST), and those of metadata_document. May suspend, off the cloud at most a second; cancellable.
asio::awaitable<Result<AutoCandidate>> ask_tpu_vm(Call& call, TpuVmFacts& facts);

}  // namespace rollcall
