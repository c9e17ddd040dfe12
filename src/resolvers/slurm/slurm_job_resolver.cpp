#include "rollcall/slurm_job_resolver.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "async/async_event.hpp"
#include "async/with_background.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "cluster/alike_accelerators.hpp"
#include "readiness/follow.hpp"
#include "resolvers/own_rpc_layer.hpp"
#include "resolvers/slurm/rules/slurm_job_size.hpp"
#include "resolvers/slurm/rules/slurm_maintenance.hpp"
#include "resolvers/slurm/rules/slurm_reference.hpp"
#include "resolvers/slurm/rules/slurm_view.hpp"
#include "resolvers/slurm/slurm_doctor.hpp"
#include "resolvers/slurm/slurm_source.hpp"
#include "resolvers/slurm/slurm_table.hpp"
#include "resolvers/slurm/slurmd_probe.hpp"

namespace rollcall {
namespace {

constexpr Duration remembered_for = std::chrono::seconds(30);  // a status also has what depends on the time: the end that comes near

class SlurmJobResolver final : public OwnRpcLayerResolver {
 public:
  SlurmJobResolver(Runtime runtime_handle, SlurmJobOptions options)
      : OwnRpcLayerResolver(std::move(runtime_handle)), options_(std::move(options)), source_(make_source(runtime(), options_)) {
    rpc_layer_ = options_.rpc_layer();
  }

  std::string describe() const override { return options_.job().empty() ? "slurm:job" : "slurm:job/" + printable(options_.job(), 80); }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override {
    const Result<ClusterStatus> status = co_await do_cluster_status(call);
    if (!status) co_return status.error();
    const bool has_nodes = !status->members.empty() && status->phase != ClusterPhase::queued;
    if (!has_nodes || status->state.level == MemberState::lost) {
      co_return Failure(Errc::not_ready, fmt::format("{} has no nodes: {}", describe(), status->state.text))
          .with_hint("wait for it: rollcall wait, or wait_until_ready()");
    }
    co_return status->spec();
  }

  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override {
    if (!source_) co_return named(source_.error());
    const Result<SlurmReference> wanted = reference();
    if (!wanted) co_return named(wanted.error());
    Result<SlurmJobAnswer> jobs = co_await find_jobs(call, *wanted);
    if (!jobs) co_return named(jobs.error());
    if (jobs->records.empty()) co_return *remembered_;
    SlurmView view;
    view.jobs = std::move(jobs->records);
    view.now = impl_of(call).time->wall_now();
    const Result<void> looked = co_await look_around(call, view);
    if (!looked) co_return named(looked.error());
    SlurmStatusOptions options;
    options.port = options_.port();
    options.uses_node_addr = options_.address() == SlurmAddress::addr;
    Result<ClusterStatus> status = slurm_status(view, options);
    if (!status) co_return named(status.error());
    was_seen_ = status->state.text;
    without_gpus_ = why_no_slurm_gpus(view.jobs);
    add_slurm_maintenance(view, *status);
    if (options_.probes_nodes()) {
      last_ = *status;
      probe_.set_nodes(view.known_nodes(), *status);
      probe_.describe(*status);
    } else if (jobs->revision != 0) {
      made_of_ = jobs->revision;
      made_at_ = impl_of(call).time->now();
      remembered_ = *status;
    }
    co_return status;
  }

  // A pending job is looked at as often as one that runs: a question for one job is cheap. [facts: slurm-job-cost]
  asio::awaitable<Result<void>> do_follow(Call& call, StatusObserver& observer) override {
    std::vector<Polled> polled;
    polled.emplace_back(*this, observer);
    PollPace pace(std::chrono::seconds(2), std::chrono::seconds(10));
    pace.poll_queued_alike();
    if (!options_.probes_nodes()) co_return co_await follow_by_polling(call, std::move(polled), pace);
    co_return co_await with_background(probe_nodes(call, observer), follow_by_polling(call, std::move(polled), pace));
  }

  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                 std::optional<int> task_id) override {
    const Result<ClusterStatus> status = co_await do_cluster_status(call);
    if (!status) co_return status.error();
    std::optional<Result<AcceleratorCounts>> known = alike_accelerators(status->members, task_type, task_id);
    if (known) co_return std::move(*known);
    const bool is_of_task = task_type && task_id;
    if (!without_gpus_.empty() && !is_of_task) co_return no_gpus();
    co_return co_await OwnRpcLayerResolver::do_num_accelerators(call, std::move(task_type), task_id);
  }

  asio::awaitable<Result<std::vector<DeviceAttributes>>> do_list_devices(Call& call) override {
    const Result<ClusterStatus> status = co_await do_cluster_status(call);
    if (!status) co_return status.error();
    if (!without_gpus_.empty()) co_return no_gpus();
    co_return co_await OwnRpcLayerResolver::do_list_devices(call);
  }

 private:
  Failure no_gpus() const {
    return Failure(Errc::failed_precondition, fmt::format("{} {}", describe(), without_gpus_))
        .with_hint("GPUs that it uses without asking Slurm for them are counted by the server of a task, by its type and index");
  }

  static Result<std::shared_ptr<SlurmSource>> make_source(const Runtime& runtime, const SlurmJobOptions& options) {
    const std::optional<Failure> fault = slurm_access_fault(options);
    if (fault) return *fault;
    return shared_slurm_source(runtime, options);
  }

  // Between two answers of Slurm. What it says next may say more.
  asio::awaitable<Result<void>> probe_nodes(Call& call, StatusObserver& observer) {
    Runtime::Impl& impl = impl_of(call);
    for (;;) {
      const bool is_awake = co_await sleep_until(*impl.timers, saturating_sum(impl.time->now(), probe_.pause()));
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two connections to slurmd");
      const Result<bool> has_changed = co_await probe_.ask(call);
      if (!has_changed) co_return has_changed.error();
      if (!*has_changed || !last_) continue;
      ClusterStatus status = *last_;
      probe_.describe(status);
      observer.report(std::move(status));
    }
  }

  // The target, and not also the job that was asked for where that is the same.
  Failure named(Failure failure) const {
    std::string_view what = failure.what();
    if (what.find(describe()) != std::string_view::npos) return failure;
    const Result<SlurmReference> wanted = SlurmReference::parse(options_.job());
    const std::string job = !wanted           ? std::string()
                            : wanted->id == 0 ? fmt::format("the Slurm job {}: ", quoted(wanted->name, 80))
                                              : fmt::format("Slurm job {}: ", wanted->id);
    if (!job.empty() && what.starts_with(job)) what.remove_prefix(job.size());
    failure.with_what(fmt::format("{}: {}", describe(), what));
    return failure;
  }

  // Of a heterogeneous job all components are meant, whose leader has the first id.
  Result<SlurmReference> reference() const {
    if (!options_.job().empty()) return SlurmReference::parse(options_.job());
    const Environment& environment = *impl_of(runtime()).environment;
    std::string id = environment.get("SLURM_JOB_ID").value_or("");
    if (id.empty()) id = environment.get("SLURM_JOBID").value_or("");
    if (id.empty()) {
      return Failure(Errc::failed_precondition, "no job is named, and this process is in none: SLURM_JOB_ID is not set")
          .with_hint("slurm:job/ID, or slurm:job/NAME");
    }
    const std::string leader = environment.get("SLURM_JOB_ID_HET_GROUP_0").value_or("");
    const std::string size = environment.get("SLURM_HET_SIZE").value_or("");
    bool is_of_group = false;
    constexpr int max_components = 128;
    for (int i = 0; i < parse_decimal<int>(size, 0, max_components).value_or(0); ++i)
      is_of_group = is_of_group || environment.get(fmt::format("SLURM_JOB_ID_HET_GROUP_{}", i)) == id;
    Result<SlurmReference> parsed = SlurmReference::parse(is_of_group && !leader.empty() ? leader : id);
    if (parsed && parsed->id == 0) return Failure(Errc::invalid_argument, fmt::format("SLURM_JOB_ID is {}, no id", quoted(id, 40)));
    return parsed;
  }

  // Without records: nothing has changed since the status that is remembered.
  asio::awaitable<Result<SlurmJobAnswer>> find_jobs(Call& call, SlurmReference wanted) {
    if (wanted.id == 0 && found_by_name_) wanted = *found_by_name_;
    Result<SlurmJobAnswer> answer = SlurmJobAnswer();
    const SteadyTime now = impl_of(call).time->now();
    const std::uint64_t known = remembered_ && now - made_at_ < remembered_for ? made_of_ : 0;
    if (wanted.id == 0) {
      Result<std::vector<SlurmJobRecord>> named = co_await (*source_)->jobs_named(call, wanted.name, options_.user());
      if (!named) co_return named.error();
      answer->records = std::move(*named);
    } else {
      answer = co_await (*source_)->job(call, wanted, known);
    }
    if (!answer) co_return answer;
    if (known != 0 && answer->revision == known) co_return answer;
    std::vector<SlurmJobRecord>* const records = &answer->records;
    // The id in the environment of a task of an array is that task's own.
    const bool is_own = options_.job().empty();
    if (is_own) std::erase_if(*records, [&wanted](const SlurmJobRecord& one) { return one.id != wanted.id && one.het_job != wanted.id; });
    if (is_own && records->size() == 1 && records->front().array_job) {
      wanted.id = *records->front().array_job;
      wanted.task = records->front().array_task;
    }
    Result<std::vector<SlurmJobRecord>> jobs = select_slurm_jobs(wanted, std::move(*records));
    if (!jobs) co_return explain_absence(jobs.error());
    const std::string& cluster = jobs->front().cluster;  // empty: this version does not say it
    if (!options_.cluster().empty() && !cluster.empty() && cluster != options_.cluster()) {
      co_return Failure(Errc::invalid_argument, fmt::format("{} is asked, and its cluster is {}, not {}", (*source_)->describe(),
                                                            quoted(cluster, 80), quoted(options_.cluster(), 80)))
          .with_hint("ids count in each cluster by itself: ask the Slurm of that cluster");
    }
    if (wanted.id == 0) {  // from here on by its id, which costs less, and stays the same when it is requeued
      const SlurmJobRecord& first = jobs->front();
      SlurmReference by_id;
      by_id.id = first.het_job != 0 ? first.het_job : first.array_job.value_or(first.id);
      by_id.task = first.array_task;
      found_by_name_ = by_id;
    }
    answer->records = std::move(*jobs);
    co_return answer;
  }

  Failure explain_absence(Failure failure) const {
    if (failure.code() != Errc::not_found || was_seen_.empty()) return failure;
    failure.with_what(fmt::format("{}; it was {} when it was seen last, and Slurm has forgotten how it ended", failure.what(), was_seen_));
    return failure;
  }

  // What the state of the jobs needs for its explanation. A part that cannot be asked leaves the explanation shorter.
  asio::awaitable<Result<void>> look_around(Call& call, SlurmView& view) {
    const Result<SlurmNeeds> needs = slurm_needs(view.jobs);
    if (!needs) co_return needs.error();
    if (needs->all_nodes || !needs->nodes.empty()) {
      Result<void> looked = co_await look_at_nodes(call, *needs, view);
      if (!looked && looked.error().code() == Errc::cancelled) co_return looked;
      if (!looked) view.missing = looked.error().what();
    }
    for (const std::string& name : needs->partitions) {
      Result<std::vector<SlurmPartition>> partition = co_await (*source_)->partition(call, name);
      if (!partition && partition.error().code() == Errc::cancelled) co_return partition.error();
      if (partition)
        view.partitions.insert(view.partitions.end(), partition->begin(), partition->end());
      else
        view.missing = partition.error().what();
    }
    const SteadyTime now = impl_of(call).time->now();
    const bool is_followed = !was_seen_.empty();  // maintenance is looked for seldom, and not by a single question
    const bool runs = std::any_of(view.jobs.begin(), view.jobs.end(), [](const SlurmJobRecord& job) { return job.base() == "RUNNING"; });
    const bool is_due = runs && is_followed && now >= next_reservations_;
    if (is_due) next_reservations_ = saturating_sum(now, std::chrono::minutes(5));
    if (!needs->reservations && !is_due) view.reservations = reservations_;
    if (needs->reservations || is_due) {
      Result<std::vector<SlurmReservation>> reservations = co_await (*source_)->reservations(call);
      if (!reservations && reservations.error().code() == Errc::cancelled) co_return reservations.error();
      if (reservations)
        view.reservations = reservations_ = std::move(*reservations);
      else if (needs->reservations)
        view.missing = reservations.error().what();
    }
    for (const std::int64_t id : needs->jobs) {
      SlurmReference by_id;
      by_id.id = id;
      Result<SlurmJobAnswer> awaited = co_await (*source_)->job(call, std::move(by_id), 0);
      if (!awaited && awaited.error().code() == Errc::cancelled) co_return awaited.error();
      if (awaited) view.awaited.insert(view.awaited.end(), awaited->records.begin(), awaited->records.end());
    }
    co_return Result<void>();
  }

  asio::awaitable<Result<void>> look_at_nodes(Call& call, const SlurmNeeds& needs, SlurmView& view) {
    if (needs.all_nodes) {
      Result<SlurmNodesPointer> all = co_await (*source_)->all_nodes(call);
      if (!all) co_return all.error();
      view.all_nodes = std::move(*all);
      co_return Result<void>();
    }
    Result<std::vector<SlurmNodeRecord>> nodes = co_await (*source_)->nodes(call, needs.nodes);
    if (!nodes) co_return nodes.error();
    view.nodes = std::move(*nodes);
    co_return Result<void>();
  }

  SlurmJobOptions options_;
  Result<std::shared_ptr<SlurmSource>> source_;
  std::optional<SlurmReference> found_by_name_;
  std::string was_seen_;
  std::string without_gpus_;
  std::vector<SlurmReservation> reservations_;  // as of the last question for them
  SteadyTime next_reservations_{};
  SlurmdProbe probe_;
  std::optional<ClusterStatus> last_;  // by Slurm's word alone
  std::optional<ClusterStatus> remembered_;  // of the revision made_of_
  std::uint64_t made_of_ = 0;
  SteadyTime made_at_{};
};

}  // namespace

std::shared_ptr<ClusterResolver> make_slurm_job_resolver(Runtime runtime, SlurmJobOptions options) {
  return std::make_shared<SlurmJobResolver>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
