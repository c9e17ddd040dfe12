// What all resolvers of a Runtime that ask one Slurm in the same way know together.
//
// Decision: jobs that are polled in one call (a service's round, several targets of one command) cost one question for the states of all
// jobs, and one for the nodes that have changed; a job itself is asked for only where its state differs from that of its record. The states
// do not say why a job waits, nor when it will end: the oldest records are asked for again, some in each round. Where Slurm does not list
// states alone (slurmrestd before 23.11), a few jobs are asked for one by one, many by one list of all. One job in a call is asked for
// directly. Price: among many jobs the reason of one that waits may be half a minute old, or older where thousands wait.
#pragma once

#include <memory>

#include "resolvers/slurm/slurm_source.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

/// The source of these options, shared by those in the Runtime that ask in the same way. Errors: invalid_argument.
Result<std::shared_ptr<SlurmSource>> shared_slurm_source(const Runtime& runtime, const SlurmJobOptions& options);

/// Keeps what `source` answers.
std::shared_ptr<SlurmSource> make_slurm_table(std::shared_ptr<SlurmSource> source);

}  // namespace rollcall
