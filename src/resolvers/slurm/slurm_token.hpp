// The token that slurmrestd is asked with, and the two headers that carry it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rollcall/credentials.hpp"
#include "rollcall/slurm_job_resolver.hpp"

namespace rollcall {

/// From a file, a program, or the variable SLURM_JWT, in this order; a file and the variable are read at every use. A token whose end is
/// over is refused before it is sent, since Slurm's own error does not say so. Null: the options name none, and the variable does not count
/// at a unix socket, whose user is known.
std::shared_ptr<Credentials> slurm_credentials(const SlurmJobOptions& options);

}  // namespace rollcall
