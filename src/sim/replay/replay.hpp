// Answers requests as real services did when the file was recorded.
#pragma once

#include "rollcall/sim/cloud.hpp"
#include "sim/wire/route.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

/// The next recorded answer to this request: they come in their order, and the last one is repeated. An answer that never came does not
/// come here either. Without one: a refusal that names what was asked. None: the request is for a token, which is not recorded; the file's
/// own services answer.
std::optional<Reply> replay(const Context& context, const Request& request, const Route& route, const ParsedTarget& target, SteadyTime now);

}  // namespace rollcall::sim
