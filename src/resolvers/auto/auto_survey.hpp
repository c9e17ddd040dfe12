// The steps of auto: where this process is, by environment and files (pure); what a metadata server knows of a TPU; and the resolver that
// knows the place better.
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

/// Each place that `options` allow, in the order of preference, with what there is of it; all but tpu_vm, which takes the metadata
/// server. Nothing is asked. `most`: hosts of a cluster. Source: JAX's clusters; the launchers' documentation.
std::vector<AutoCandidate> survey_environment(const Environment& environment, const Files& files, const AutoOptions& options,
                                              std::size_t max);

/// The first candidate that is there, or null.
const AutoCandidate* first_present(const std::vector<AutoCandidate>& candidates);

/// Whether `options` allow the place.
bool is_inspected(const AutoOptions& options, Launcher place);

/// The error when no candidate is there: what was looked for, and what was found.
Failure nowhere(const std::vector<AutoCandidate>& candidates);

/// The Indexed Job that a pod of this host name is part of: `HOSTNAME` without `-INDEX`; empty: it does not end so.
std::string job_of_pod(const Environment& environment);

/// Probes, and asks for `facts` where a server answers. It is asked nothing where the environment forbids it. Where the firmware says
/// Google, there is no probe but the usual patience: a young machine's server comes late. Errors: invalid_argument (a bad
/// GCE_METADATA_HOST), and those of metadata_document. May suspend, off the cloud at most a second; cancellable.
asio::awaitable<Result<AutoCandidate>> ask_tpu_vm(Call& call, TpuVmFacts& facts);

class AutoDelegate {
 public:
  AutoDelegate() {}
  std::shared_ptr<ClusterResolver> resolver;
  bool has_own_tasks = false;  ///< it knows which task this is, and its own master
};

/// None: the place's cluster stands in the surroundings themselves.
std::optional<AutoDelegate> make_auto_delegate(const Runtime& runtime, Launcher place, const AutoOptions& options);

}  // namespace rollcall
