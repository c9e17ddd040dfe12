// What Slurm's programs print: the document among other lines, and their errors.
#include "resolvers/slurm/slurm_program_output.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string_view found = json_in_output(text);
  require(found.data() >= text.data() && found.data() + found.size() <= text.data() + text.size());
  require(found.size() == text.size() || found.starts_with('{'));
  require(json_in_output(found) == found);  // once more changes nothing
  ProgramOutput output;
  output.exit_code = 1;
  output.errors = text;
  is_without_json(output);
  const Failure failure = slurm_program_failure({"scontrol", "show", "job", "7"}, output);
  require(!failure.what().empty());
  require_printable(failure.message());
  return 0;
}
