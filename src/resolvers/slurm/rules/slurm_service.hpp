// slurmrestd: what its errors mean. Its HTTP status alone does not say it: 22.05 answers 500 for a job that does not exist, for a refused
// token and for a controller that is down. [facts: slurm-errors]
#pragma once

#include <string_view>
#include <vector>

#include "call/rules/service.hpp"
#include "resolvers/slurm/wire/slurm_object.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

extern const Service slurm_service;

/// The failure that the first of an answer's errors means; there is one at least.
Failure slurm_failure(const std::vector<SlurmError>& errors);

}  // namespace rollcall
