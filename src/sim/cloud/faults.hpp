// Scripted faults: the rule that applies to a request, and the replies that rules make.
#pragma once

#include "rollcall/sim/cloud.hpp"
#include "sim/wire/route.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

struct FaultDecision {
  const FaultRule* final = nullptr;  // decides the answer; null: the normal reply
  Duration delay{0};
  bool is_gzip = false;
  bool is_chunked = false;
};

/// Counts the request for every rule that it matches. Rules that only delay or re-encode are combined. Of the other rules the first
/// that is due decides, and only its `times` are used up.
FaultDecision decide_faults(const Context& context, const Request& request, const Route& route, const ParsedTarget& target);

/// The reply of a rule with a status.
Reply scripted_reply(const Context& context, const FaultRule& rule, const Route& route, const ParsedTarget& target);

}  // namespace rollcall::sim
