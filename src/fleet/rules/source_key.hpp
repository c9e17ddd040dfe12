// Which targets are asked for together, and when two texts name one target. Pure.
#pragma once

#include <string>

#include "rollcall/target.hpp"

namespace rollcall::fleet {

/// The target with its keys in order, so that it is one however it was written. Jobs (`job.NAME`) stay in theirs, which is the cluster's.
Target canonical_target(Target target);

/// Names what is asked at once for all its targets: `tpu/PROJECT/ZONE`, `gce/PROJECT/ZONE` (or the region), from the keys or from a full
/// resource name; of other schemes, which have no list of many, the target itself.
std::string source_key(const Target& target);

/// How many requests a look at so many targets of a source takes, about: four TPUs and more share a list with a thousand on each page;
/// anything else takes two each.
std::size_t requests_of_look(const Target& one_of_them, std::size_t targets);

}  // namespace rollcall::fleet
