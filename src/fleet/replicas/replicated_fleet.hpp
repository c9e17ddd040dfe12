// The fleet as one of several replicas serves it: everything from its copy of what their store says, whoever of them asks.
#pragma once

#include <memory>
#include <string>

#include "fleet/fleet_core.hpp"
#include "store/store.hpp"

namespace rollcall::fleet {

/// The replicas of one `name` share a history: it is part of the store's keys, of letters, digits, `-`, `_` and `.`. `runtime` asks the
/// clouds and has the clock; the store is asked by calls of its own. Topics are known once the store was listed: before, topic() fails with
/// unavailable, and fault() says so. Revisions are the store's, and so the same on each replica.
std::shared_ptr<Fleet> make_replicated_fleet(Runtime runtime, std::shared_ptr<store::Store> store, std::string name,
                                             FleetOptions options = {});
/// The same, with resolvers of the caller's own.
std::shared_ptr<Fleet> make_replicated_fleet(Runtime runtime, std::shared_ptr<store::Store> store, std::string name, FleetOptions options,
                                             ResolverMaker maker);

}  // namespace rollcall::fleet
