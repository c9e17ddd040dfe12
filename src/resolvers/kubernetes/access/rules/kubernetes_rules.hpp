// Which `kubernetes:` targets a service answers for.
#pragma once

#include "rollcall/scheme_rules.hpp"

namespace rollcall {

extern const SchemeRules kubernetes_rules;

}  // namespace rollcall
