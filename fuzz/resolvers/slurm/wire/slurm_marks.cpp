// The states of all jobs: lines of squeue, and the answer to jobs/state/.
#include "resolvers/slurm/wire/slurm_marks.hpp"

#include "check.hpp"
#include "resolvers/slurm/wire/slurm_list_feed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const SlurmMarks lines = read_mark_lines(text);
  require(lines.rows() <= size + 1 && lines.of(0) == 0);
  SlurmMarks marks;
  const auto take = [&marks](const SlurmObject& element) {
    read_slurm_mark(element, marks);
    return std::size_t{0};
  };
  SlurmListFeed feed("the list", "jobs", take, ParseLimits());
  Result<void> done = feed.feed(text);
  if (done) done = feed.finish();
  require_sane(done);
  require(marks.rows() <= size);
  return 0;
}
