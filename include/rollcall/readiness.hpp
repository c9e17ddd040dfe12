// What makes a cluster ready. No I/O.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

/// What makes a cluster ready; combine with `|`. `reachable` and `devices` take `endpoints` along, since there must be something
/// to reach. Without `state` and `health` the workers' own answers count, whatever the service's API (which may lag) says.
/// Whatever is asked for, a member that the service says can never be ready ends the wait.
enum class Readiness : std::uint8_t {
  state = 1,       ///< the API's word on the life cycle: a TPU is READY, a pod Running
  health = 2,      ///< the API's word on health: HEALTHY or none given; a pod's condition Ready
  endpoints = 4,   ///< as many addresses as the topology, or WaitOptions::members, asks for
  reachable = 8,   ///< every member takes a TCP connection
  devices = 16,    ///< every member's runtime answers GetStatus over gRPC
};
/// Ready in both ways.
constexpr Readiness operator|(Readiness a, Readiness b) noexcept {
  return static_cast<Readiness>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
/// True if `one` is among `all`.
constexpr bool includes(Readiness all, Readiness one) noexcept {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) == static_cast<unsigned>(one);
}
/// What a launcher usually wants before it starts.
inline constexpr Readiness usually_ready = Readiness::state | Readiness::health | Readiness::endpoints;
/// `state,reachable`: names joined by commas. Errors: invalid_argument.
Result<Readiness> parse_readiness(std::string_view text);
/// The same back, in the order above.
std::string to_string(Readiness readiness);

}  // namespace rollcall
