// Fuzz target: what the tasks at a barrier say to each other. What was read can be written and read again.
#include "meeting/wire/meeting_documents.hpp"

#include "check.hpp"

using namespace rollcall;
using namespace rollcall::meeting;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Hello> hello = read_hello(text);
  require_sane(hello);
  if (hello) {
    const std::string written = write_hello(*hello);
    const Result<Hello> again = read_hello(written);
    require(again && write_hello(*again) == written && hello->incarnation.size() == 16);
  }
  const Result<RollAnswer> answer = read_answer(text);
  require_sane(answer);
  if (answer) {
    const std::string written = write_answer(*answer);
    const Result<RollAnswer> again = read_answer(written);
    require(again && write_answer(*again) == written && answer->here <= answer->members);
  }
  const Result<std::vector<RunLine>> runs = read_runs(text);
  require_sane(runs);
  if (runs) {
    const std::string written = write_runs(*runs);
    const Result<std::vector<RunLine>> again = read_runs(written);
    require(again && write_runs(*again) == written);
  }
  return 0;
}
