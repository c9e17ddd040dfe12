// Scripted misbehaviour: which rule applies to a request, and the answers that rules make up.
#pragma once

#include "rollcall/sim/cloud.hpp"
#include "sim/wire/route.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

struct FaultDecision {
  const FaultRule* final = nullptr;  // decides the answer; none: the normal reply
  Duration delay{0};
  bool is_gzip = false;
  bool is_chunked = false;
};

/// Counts the request for every rule that it matches. Rules that only delay or re-encode add up; of the others the first
/// that is due decides, and only its `times` are used up.
FaultDecision decide_faults(const Context& context, const Request& request, const Route& route, const ParsedTarget& target);

/// The answer of a rule with a status.
Reply scripted_reply(const Context& context, const FaultRule& rule, const Route& route, const ParsedTarget& target);

}  // namespace rollcall::sim
