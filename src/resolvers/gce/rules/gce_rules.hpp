// Which `gce:` targets a service answers for.
#pragma once

#include "rollcall/scheme_rules.hpp"

namespace rollcall {

extern const SchemeRules gce_rules;

}  // namespace rollcall
