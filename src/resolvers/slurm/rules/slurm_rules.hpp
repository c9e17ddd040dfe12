// Which targets of Slurm a service answers for.
#pragma once

#include "rollcall/scheme_rules.hpp"

namespace rollcall {

/// Jobs by their ids. How Slurm is asked is among the service's settings alone.
extern const SchemeRules slurm_rules;

}  // namespace rollcall
