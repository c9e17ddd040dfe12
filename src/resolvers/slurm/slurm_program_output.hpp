// What scontrol, squeue and sinfo print: the document among other lines, and what their errors mean. [facts: slurm-programs]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/program_runner.hpp"

namespace rollcall {

/// The JSON object in `text`, without warnings before and after it; all of `text` if there is none.
std::string_view json_in_output(std::string_view text);

/// A job in a line of squeue's, `4711|RUNNING|name`; the name may have any characters.
class SlurmLine {
 public:
  std::int64_t id = 0;
  bool is_live = false;
};
std::vector<SlurmLine> slurm_lines_of_name(std::string_view text, std::string_view name);

/// The numbers that stand alone on their lines, each once.
std::vector<std::string> slurm_ids_in(std::string_view text);

/// True if the program ended because it writes no JSON, as scontrol of Slurm 22.05.
bool is_without_json(const ProgramOutput& output);

/// What it means that the program of `words` has failed. Slurm's programs have one exit code for all failures.
Failure slurm_program_failure(const std::vector<std::string>& words, const ProgramOutput& output);

/// `run it by hand: scontrol --json show nodes`
std::string slurm_by_hand(const std::vector<std::string>& words);

}  // namespace rollcall
