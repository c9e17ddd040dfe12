// The conditions for a cluster to be ready. No I/O.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

/// Conditions for a cluster to be ready; combine with `|`. `reachable` and `devices` imply `endpoints`. Without `state` and `health` only
/// the workers' own answers count, since the service's API may lag behind them. A member that can never be ready according to the service
/// always ends the wait.
enum class Readiness : std::uint8_t {
  state = 1,       ///< life cycle in the API: a TPU is READY, a pod Running
  health = 2,      ///< health in the API: HEALTHY or none given; a pod's condition Ready
  endpoints = 4,   ///< as many addresses as the topology, or WaitOptions::members, requires
  reachable = 8,   ///< every member takes a TCP connection
  devices = 16,    ///< every member's runtime answers GetStatus over gRPC
};
/// Both conditions.
constexpr Readiness operator|(Readiness a, Readiness b) noexcept {
  return static_cast<Readiness>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
/// True if `one` is among `all`.
constexpr bool includes(Readiness all, Readiness one) noexcept {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) == static_cast<unsigned>(one);
}
/// The usual condition of a launcher before it starts.
inline constexpr Readiness usually_ready = Readiness::state | Readiness::health | Readiness::endpoints;
/// `state,reachable`: names joined by commas. Errors: invalid_argument.
Result<Readiness> parse_readiness(std::string_view text);
/// The inverse, in the order above.
std::string to_string(Readiness readiness);

}  // namespace rollcall
