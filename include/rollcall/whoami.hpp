// What launchers, schedulers, controllers and services say about this process, by the variables that they set. No I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/environment.hpp"

namespace rollcall {

/// What the rank and the size of a testimony count.
enum class TestimonyScope : std::uint8_t {
  processes,  ///< the processes of the job
  machines,   ///< the machines of the job, or the agents on them
  part,       ///< the members of a part: a slice, a Job of a set, a group
};
std::string_view to_string(TestimonyScope scope) noexcept;

/// What one witness says. Texts are safe to print.
class Testimony {
 public:
  Testimony() {}
  std::string_view witness;  ///< `Slurm`, `Open MPI`
  TestimonyScope scope = TestimonyScope::processes;
  std::string evidence;      ///< the variables that were read: `SLURM_PROCID=3, SLURM_STEP_NUM_TASKS=8`
  std::string rank_name;     ///< the variable with the rank
  std::string size_name;     ///< the variable with the size; empty: there is none
  std::optional<int> rank;
  std::optional<int> size;   ///< at least so many, where `max_size` is greater: torchrun's `2:4`
  std::optional<int> max_size;
  std::optional<int> local_rank;
  std::optional<int> local_size;
  bool is_launcher = false;  ///< it starts the processes itself, within another launcher's tasks: its numbers come before theirs
  std::string fault;         ///< what is wrong with its values: `RANK is 'x', no number from 0 to 1048576`; empty: nothing
  std::string ignored;       ///< why it does not count, although nothing is wrong with it; empty: it counts
};

/// The testimonies of all witnesses that say something, the launchers first. Variables that are empty are not set. A witness whose
/// variables are wrong has a fault. Does not suspend. [facts: own-index-variables]
std::vector<Testimony> hear_witnesses(const Environment& environment);

}  // namespace rollcall
