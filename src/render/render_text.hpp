// A cluster for people and line-based tools; pure.
#pragma once

#include <string>

#include "rollcall/cluster_spec.hpp"

namespace rollcall {

/// One task a line, `worker 0 10.0.0.1:8470`, in columns: jobs in the cluster's order, tasks ascending; a job without tasks
/// shows `-` for both. Control characters and blanks inside a name or an address are escaped, so that every line has three
/// words. `with_colour`: the job's name in bold, the index dimmed.
std::string render_text(const ClusterSpec& spec, bool with_colour = false);

}  // namespace rollcall
