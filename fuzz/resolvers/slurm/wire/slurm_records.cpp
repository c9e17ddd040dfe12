// Answers of Slurm's: the first byte selects the list, the second the size of pieces, which must not change the result. The status of jobs
// that are read is made, and is printable.
#include "resolvers/slurm/rules/slurm_view.hpp"
#include "resolvers/slurm/wire/slurm_list_feed.hpp"

#include "check.hpp"

namespace {

using namespace rollcall;

template <class Record>
std::vector<Record> read_both_ways(std::string key, std::string_view text, std::size_t step, Record (*read)(const SlurmObject&)) {
  const Result<std::vector<Record>> whole = read_slurm_text<Record>("the answer", key, text, read, ParseLimits());
  require_sane(whole);
  std::size_t count = 0;
  SlurmListFeed feed(
      "the answer", key,
      [&count, read](const SlurmObject& element) {
        read(element);
        ++count;
        return sizeof(Record);
      },
      ParseLimits());
  const Result<void> pieces = feed_in_pieces(feed, text, step);
  require(pieces.has_value() == whole.has_value());
  if (!whole) return {};
  require(count == whole->size());
  for (const SlurmError& error : feed.errors()) require_printable(error.text);
  return *whole;
}

void check_causes(const std::vector<Cause>& causes) {
  for (const Cause& cause : causes) {
    require_printable(cause.code);
    require_printable(cause.text);
    require_printable(cause.object);
  }
}

void check_jobs(std::vector<SlurmJobRecord> jobs) {
  for (SlurmJobRecord& job : jobs) {
    SlurmView view;
    view.jobs.push_back(std::move(job));
    require_sane(slurm_needs(view.jobs));
    const Result<ClusterStatus> status = slurm_status(view, {});
    require_sane(status);
    if (!status) continue;
    require_printable(status->state.text);
    check_causes(status->causes);
    for (const Member& member : status->members) {
      require_printable(member.name);
      check_causes(member.causes);
    }
  }
}

void check_nodes(const std::vector<SlurmNodeRecord>& nodes) {
  for (const SlurmNodeRecord& node : nodes) {
    require_printable(slurm_node_story(node));
    SlurmView view;
    SlurmJobRecord job;
    job.id = 1;
    job.states = {"PENDING"};
    job.node_count = 1;
    view.nodes = {node};
    job.required_nodes = node.name.size() < 200 ? node.name : "n1";
    view.jobs = {job};
    const SlurmWait wait = explain_slurm_wait(job, view);
    require_printable(wait.condition.text);
    check_causes(wait.causes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t step = data[1] % 64 + 1;
  switch (data[0] % 4) {
    case 0: check_jobs(read_both_ways<SlurmJobRecord>("jobs", text, step, read_slurm_job)); break;
    case 1: check_nodes(read_both_ways<SlurmNodeRecord>("nodes", text, step, read_slurm_node)); break;
    case 2: read_both_ways<SlurmPartition>("partitions", text, step, read_slurm_partition); break;
    default: read_both_ways<SlurmReservation>("reservations", text, step, read_slurm_reservation); break;
  }
  return 0;
}
