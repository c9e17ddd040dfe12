// Who asks the service, as its rights and its bounds know it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "fleet/rights/access.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

class Client {
 public:
  Client() {}
  Identity identity;
  std::string client;  ///< whose requests and streams are counted together: an identity at an address, or an address; empty: not counted
  std::string namer;   ///< whose new targets are: an identity, or an address; empty: not counted
  std::uint64_t proofs = 0;  ///< FleetRequests::require_reauthentication() has been called so often before it was let in
  std::optional<SteadyTime> until;  ///< when its proof is over, grace included; absent: not by itself
};
using ClientPtr = std::shared_ptr<const Client>;

}  // namespace rollcall::fleet
