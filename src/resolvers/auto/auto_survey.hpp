// Where this process is, by environment and files: a pure function.
#pragma once

#include <vector>

#include "rollcall/auto_resolver.hpp"
#include "rollcall/surroundings.hpp"

namespace rollcall {

/// Each place that `options` allow, in the order of preference, with what there is of it; all but tpu_vm, which takes the metadata
/// server. Nothing is asked. Source: JAX's clusters; the launchers' documentation.
std::vector<AutoCandidate> survey_environment(const Environment& environment, const Files& files, const AutoOptions& options);

/// The first candidate that is there, or null.
const AutoCandidate* first_present(const std::vector<AutoCandidate>& candidates);

/// Whether `options` allow the place.
bool is_looked_at(const AutoOptions& options, Launcher place);

/// The error when no candidate is there: what was looked for, and what was found.
Failure nowhere(const std::vector<AutoCandidate>& candidates);

/// The Indexed Job that a pod of this host name is part of: `HOSTNAME` without `-INDEX`; empty: it does not end so.
std::string job_of_pod(const Environment& environment);

}  // namespace rollcall
