// Which targets one request can cover together, and what that costs. Pure.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/target.hpp"

namespace rollcall::fleet {

/// The key of the targets that are polled together: `tpu/PROJECT/ZONE`, `gce/PROJECT/ZONE` (or the region), from the keys or from a full
/// resource name. For other schemes, which have no list of many: the target itself.
std::string source_key(const Target& target);

/// The key of the thing that targets are about, with any name and any parts of it: the TPU, queued resource or group of a place; for
/// other schemes the name, such as the namespace of pods.
std::string resource_of(const Target& target);

/// The key of the quota that a source uses, of a project for one API: `tpu/PROJECT`; of a source without a project the source itself.
std::string quota_key(std::string_view source);
/// The project of a source, for which a quota may be set; empty: it has none.
std::string project_of(std::string_view source);

/// How many requests a poll of so many targets of a source takes, about: four and more TPU nodes share a list with a thousand on each page;
/// anything else takes two each.
std::size_t requests_of_poll(std::size_t nodes, std::size_t others);
/// True for a TPU by name that is not a queued resource.
bool is_node(const Target& target);

}  // namespace rollcall::fleet
