// Which targets one request can cover together, and what that costs. Pure.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/target.hpp"

namespace rollcall::fleet {

/// Names what is asked at once for all its targets: of schemes whose clusters lie in a zone (SchemePlace::zone) `SCHEME/PROJECT/ZONE` (or
/// the region), from the keys or from a full resource name; of those whose clusters are jobs of one cluster `SCHEME/CLUSTER`; of other
/// schemes, which have no list of many, the target itself.
std::string source_key(const Target& target);
/// True if one question shows the states of all such targets (SchemePlace::cluster): those that are queued cost nothing more.
bool is_of_cluster(const Target& target);

/// Names the resource that a target is about, independent of keys that change its answers: the TPU, queued resource or group of a place; of
/// other schemes the name, such as the namespace of pods.
std::string resource_of(const Target& target);

/// Names the quota that a source draws on, of a project for one API: `SCHEME/PROJECT`; of a source without a project the source itself.
std::string quota_key(std::string_view source);
/// The project of a source, for which a quota may be set; empty: it has none.
std::string project_of(std::string_view source);

/// How many requests a poll of so many targets of a source takes, about: four and more TPU nodes share a list with a thousand on each page;
/// anything else takes two each.
std::size_t requests_of_poll(std::size_t nodes, std::size_t others);
/// True if the target is a node of the first kind that requests_of_poll() counts: see SchemeRules::is_listed.
bool is_node(const Target& target);

}  // namespace rollcall::fleet
