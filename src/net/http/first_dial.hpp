// The time that an exchange waits for the first dial to its host, which negotiates the protocol, before it dials as well.
#pragma once

#include <algorithm>

#include "base/saturating.hpp"
#include "rollcall/http.hpp"

namespace rollcall {

/// A quarter of each limit at most: the dial that follows has the rest. A second is enough for a look-up and three round trips on any path.
inline Duration patience_with_first_dial(const ExchangeOptions& options, SteadyTime now) noexcept {
  Duration patience = std::min<Duration>(std::chrono::seconds(1), saturating_difference(options.deadline, now) / 4);
  for (const Duration limit : {options.resolve_timeout, options.connect_timeout, options.handshake_timeout}) {
    if (limit > Duration::zero()) patience = std::min(patience, limit / 4);
  }
  return patience;
}

}  // namespace rollcall
