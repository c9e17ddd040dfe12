// A client of the service, as rights and limits know it.
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
  std::string peer_key;  ///< by which requests and streams are limited: an identity at an address, or an address; empty: not limited
  std::string namer;     ///< by whose name new targets are limited: an identity, or an address; empty: not limited
  std::uint64_t proofs = 0;         ///< number of calls of Admission::require_reauthentication() when the client was authenticated
  std::optional<SteadyTime> until;  ///< end of its proof of identity, with the grace period; absent: the proof has no end of its own
};
using ClientPtr = std::shared_ptr<const Client>;

}  // namespace rollcall::fleet
