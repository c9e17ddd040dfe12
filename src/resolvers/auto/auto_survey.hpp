// The steps of `auto`: finds the place by environment and files (pure), asks a metadata server about a TPU, and makes the resolver for
// the place.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "resolvers/auto/auto_cluster.hpp"
#include "rollcall/auto_resolver.hpp"
#include "rollcall/call.hpp"
#include "rollcall/environment.hpp"

namespace rollcall {

/// Each place that `options` allow, in order of preference, with the evidence for it, except tpu_vm, which needs the metadata server.
/// Sends no request. `max`: hosts of a cluster. Source: JAX's clusters; the launchers' documentation.
std::vector<AutoCandidate> survey_environment(const Environment& environment, const Files& files, const AutoOptions& options,
                                              std::size_t max);

/// The first candidate that is present, or null.
const AutoCandidate* first_present(const std::vector<AutoCandidate>& candidates);

/// True if `options` allow the place.
bool is_inspected(const AutoOptions& options, Launcher place);

/// The error when no candidate is present. It lists what was examined and found.
Failure no_place_failure(const std::vector<AutoCandidate>& candidates);

/// The Indexed Job of a pod with this host name: `HOSTNAME` without `-INDEX`; empty if the name has no such suffix.
std::string job_of_pod(const Environment& environment);

/// Probes the metadata server and, if it answers, reads `facts` from it. Sends nothing if the environment forbids it. If the firmware
/// names Google there is no probe, but the usual retries: the server of a new machine may start late. Errors: invalid_argument (a bad
/// GCE_METADATA_HOST), and those of metadata_document. May suspend, outside the cloud for at most a second; cancellable.
asio::awaitable<Result<AutoCandidate>> ask_tpu_vm(Call& call, TpuVmFacts& facts);

class AutoDelegate {
 public:
  AutoDelegate() {}
  std::shared_ptr<ClusterResolver> resolver;
  bool has_own_tasks = false;  ///< it knows its own task and master
};

/// None if the environment itself lists the place's cluster.
std::optional<AutoDelegate> make_auto_delegate(const Runtime& runtime, Launcher place, const AutoOptions& options);

}  // namespace rollcall
