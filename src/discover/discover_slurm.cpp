// The Slurm jobs of a search, from one list of all jobs, of which only the finds are kept.
#include <fmt/format.h>

#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "discover/discovery.hpp"
#include "resolvers/slurm/rules/slurm_job_size.hpp"
#include "resolvers/slurm/rules/slurm_reference.hpp"
#include "resolvers/slurm/slurm_doctor.hpp"
#include "resolvers/slurm/slurm_repeated_list.hpp"
#include "resolvers/slurm/slurm_source.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/host_list.hpp"
#include "rollcall/target.hpp"

namespace rollcall {
namespace {

// The target `slurm:job/NAME` that asks in the same way; without a name one to be asked with.
Result<Target> slurm_target_of(const std::string& keys) { return Target::parse(keys.empty() ? "slurm:job" : "slurm:job," + keys); }

// Of an array whose tasks wait, the first of them: each is a cluster of its own.
std::string id_of_find(const SlurmJobRecord& job) {
  if (!job.array_job || job.array_task) return slurm_job_text(job);
  const std::size_t end = job.array_tasks.find_first_not_of("0123456789");
  return fmt::format("{}_{}", *job.array_job, job.array_tasks.substr(0, end));
}

std::string health_of_find(const SlurmJobRecord& job) {
  if (job.is_over()) return {};
  return slurm_job_runs(job) ? "Ready" : "NotReady";
}

Found found_slurm_job(SlurmJobRecord job, Target target, const SlurmJobOptions& options) {
  Found found;
  found.kind = FoundKind::slurm_job;
  target.body = "job/" + id_of_find(job);
  found.target = target.to_text();
  found.state = printable(fmt::format("{}", fmt::join(job.states, "+")), 80);
  found.health = health_of_find(job);
  found.members = static_cast<std::size_t>(job.node_count);
  const std::optional<Accelerators> gpus = slurm_gpus_of_job(job);
  if (gpus) {
    found.accelerators = gpus->count;
    found.accelerator_type = gpus->model;
  }
  if (const Result<std::vector<std::string>> nodes = expand_host_list(job.nodes); nodes && !job.is_pending()) {
    found.addresses.reserve(nodes->size());
    for (const std::string& node : *nodes) found.addresses.push_back(Endpoint(node, options.port()).to_text());
  }
  found.partition = fmt::format("{}", fmt::join(job.partitions, ","));
  found.user = std::move(job.user);
  found.name = std::move(job.name);
  return found;
}

class SlurmFinds final : public SlurmJobTaker {
 public:
  SlurmFinds(const Discovery& search, Target target, const SlurmJobOptions& options)
      : search_(search), target_(std::move(target)), options_(options) {}

  void restart() override { finds.clear(); }
  std::size_t take(SlurmJobRecord job) override {
    Found found = found_slurm_job(std::move(job), target_, options_);
    if (!search_.filter.matches(found)) return 0;
    const std::size_t addresses = found.addresses.size() * 2 * sizeof(std::string);
    finds.push_back(std::move(found));
    return 2 * sizeof(Found) + addresses;
  }

  std::vector<Found> finds;

 private:
  const Discovery& search_;
  Target target_;
  const SlurmJobOptions& options_;
};

class SlurmSearchMemory final : public SearchMemory {
 public:
  std::shared_ptr<SlurmRepeatedList> list;  // null before the first search
};

}  // namespace

std::shared_ptr<SearchMemory> make_search_memory() { return std::make_shared<SlurmSearchMemory>(); }

Result<void> check_slurm_keys(const std::string& keys) {
  const Result<Target> target = slurm_target_of(keys);
  if (!target) return target.error();
  const Result<SlurmJobOptions> options = slurm_job_options(*target);
  if (!options) return options.error();
  if (target->body == "job") return {};
  return Failure(Errc::invalid_argument, fmt::format("{} names a job; a search takes the keys alone", quoted(keys, 80)))
      .with_hint("restd=unix:/run/slurmrestd.socket");
}

asio::awaitable<Result<void>> list_slurm_jobs(Call& call, Discovery& search) {
  const Result<Target> target = slurm_target_of(search.options.slurm());
  if (!target) co_return target.error();
  const Result<SlurmJobOptions> options = slurm_job_options(*target);
  if (!options) co_return options.error();
  auto* const memory = dynamic_cast<SlurmSearchMemory*>(search.options.memory().get());
  std::shared_ptr<SlurmRepeatedList> repeated = memory ? memory->list : nullptr;
  Result<std::shared_ptr<SlurmSource>> source = std::shared_ptr<SlurmSource>();
  if (!repeated) source = options->restd().empty() ? make_slurm_programs() : make_slurm_rest(*options);
  if (!source) co_return source.error();
  if (memory && !repeated) repeated = memory->list = std::make_shared<SlurmRepeatedList>(*source);
  SlurmListOptions wanted;
  wanted.user = options->user().empty() ? search.filter.only("user") : options->user();
  // squeue takes names at commas, and refuses a name that it does not know: what any job has is compared here.
  if (wanted.user.find(',') != std::string::npos) wanted.user.clear();
  SlurmFinds finds(search, *target, *options);
  Result<void> listed;
  if (repeated) {
    listed = co_await repeated->list(call, wanted, finds);
  } else {
    listed = co_await (*source)->list_jobs(call, wanted, finds);
  }
  if (!listed) co_return co_await search.give_up(listed.error(), 0);
  std::vector<Failure> problems;
  co_return co_await search.pass_on(std::move(finds.finds), std::move(problems));
}

}  // namespace rollcall
