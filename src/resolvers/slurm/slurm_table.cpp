#include "resolvers/slurm/slurm_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "async/group.hpp"
#include "base/saturating.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/slurm/slurm_round.hpp"

namespace rollcall {

/// The tables of a Runtime, by what they ask and how. A table lives as long as a resolver uses it.
class SlurmSources {
 public:
  std::map<std::string, std::weak_ptr<SlurmSource>> by_way;
};

namespace {

constexpr std::size_t enough_jobs = 4;  // that are asked for together
constexpr std::size_t rows_a_question = 300;  // a question for one job takes as long as so many rows of states [facts: slurm-job-cost]
constexpr std::size_t questions_at_a_time = 8;  // slurmrestd drops connections of more
constexpr Duration places_hold_for = std::chrono::minutes(1);
constexpr Duration nodes_hold_for = std::chrono::seconds(10);  // where each answer is the whole list
constexpr Duration pause_of_job_lists = std::chrono::minutes(1);
constexpr int rest_after_list = 10;  // times its duration

SlurmReference slurm_id(std::int64_t id) {
  SlurmReference reference;
  reference.id = id;
  return reference;
}

// Failures that the next question would have, too.
bool is_of_all_jobs(Errc code) {
  return code != Errc::permission_denied && code != Errc::malformed_response && code != Errc::limit_exceeded &&
         code != Errc::invalid_argument && code != Errc::not_found;
}

class SlurmTable final : public SlurmSource, public std::enable_shared_from_this<SlurmTable> {
 public:
  explicit SlurmTable(std::shared_ptr<SlurmSource> source) : source_(std::move(source)) {}

  asio::awaitable<Result<SlurmJobAnswer>> job(Call& call, SlurmReference wanted, std::uint64_t known) override {
    const std::shared_ptr<SlurmRound> round = co_await round_with(call, wanted.id);
    if (!is_shared(*round)) co_return co_await source_->job(call, std::move(wanted), 0);
    if (!round->is_done) {
      auto script = [self = shared_from_this(), round](Call& inner) { return self->refresh(inner, round); };
      const Result<bool> done = co_await round->flight.run(call, "the jobs of Slurm", std::move(script), WhenLeft::ends);
      if (!done) co_return done.error();
    }
    if (!jobs_.find(wanted.id)) {  // another job waits for this one
      auto script = [self = shared_from_this(), id = wanted.id](Call& inner) { return self->ask_late(inner, id); };
      const Result<bool> done = co_await round->late[wanted.id].run(call, "a job of Slurm", std::move(script), WhenLeft::ends);
      if (!done) co_return done.error();
    }
    const SlurmKnownJob* const job = jobs_.find(wanted.id);
    if (!job)
      co_return Failure(Errc::unavailable, fmt::format("Slurm job {} is asked for in the next round: there are many jobs", wanted.id));
    if (job->failure) co_return *job->failure;
    SlurmJobAnswer answer;
    answer.revision = job->revision;
    if (known == 0 || known != job->revision) answer.records = slurm_records_for(wanted, job->records);
    co_return answer;
  }

  asio::awaitable<Result<std::vector<SlurmJobRecord>>> jobs_named(Call& call, std::string name, std::string user) override {
    return source_->jobs_named(call, std::move(name), std::move(user));
  }

  asio::awaitable<Result<std::vector<SlurmNodeRecord>>> nodes(Call& call, std::vector<std::string> names) override {
    const std::shared_ptr<SlurmRound> round = round_of(call);
    if (!is_shared(*round)) co_return co_await source_->nodes(call, std::move(names));
    const Result<SlurmNodesPointer> all = co_await all_nodes(call);
    if (!all) co_return all.error();
    co_return (*all)->pick(names);
  }

  // A round looks at the nodes before it answers for jobs.
  asio::awaitable<Result<SlurmNodesPointer>> all_nodes(Call& call) override {
    const std::shared_ptr<SlurmRound> round = round_of(call);
    if (!is_shared(*round)) co_return co_await source_->all_nodes(call);
    if (nodes_) co_return nodes_;
    if (nodes_failure_) co_return *nodes_failure_;
    auto script = [source = source_](Call& inner) { return source->all_nodes(inner); };
    co_return co_await round->nodes_flight.run(call, "the nodes of Slurm", std::move(script), WhenLeft::ends);
  }

  asio::awaitable<Result<SlurmMarks>> marks(Call& call) override { return source_->marks(call); }

  asio::awaitable<Result<std::vector<SlurmPartition>>> partition(Call& call, std::string name) override {
    if (!is_shared(*round_of(call))) co_return co_await source_->partition(call, std::move(name));
    const SteadyTime now = impl_of(call).time->now();
    Place<SlurmPartition>& place = partitions_[name];
    if (place.until > now) co_return place.records;
    auto script = [source = source_, name](Call& inner) { return source->partition(inner, name); };
    Result<std::vector<SlurmPartition>> records = co_await place.flight.run(call, "a partition of Slurm", std::move(script));
    co_return keep(call, partitions_[name], std::move(records));
  }

  asio::awaitable<Result<std::vector<SlurmReservation>>> reservations(Call& call) override {
    if (!is_shared(*round_of(call))) co_return co_await source_->reservations(call);
    if (reservations_.until > impl_of(call).time->now()) co_return reservations_.records;
    auto script = [source = source_](Call& inner) { return source->reservations(inner); };
    Result<std::vector<SlurmReservation>> records = co_await reservations_.flight.run(call, "the reservations of Slurm", std::move(script));
    co_return keep(call, reservations_, std::move(records));
  }

  asio::awaitable<Result<void>> list_jobs(Call& call, SlurmListOptions wanted, SlurmJobTaker& taker) override {
    return source_->list_jobs(call, std::move(wanted), taker);
  }

  std::string describe() const override { return source_->describe(); }

 private:
  template <class Record>
  class Place {
   public:
    std::vector<Record> records;
    SteadyTime until{};
    SingleFlight<std::vector<Record>> flight;
  };

  template <class Record>
  static Result<std::vector<Record>> keep(Call& call, Place<Record>& place, Result<std::vector<Record>> records) {
    if (!records) return records;
    place.records = *records;
    place.until = saturating_sum(impl_of(call).time->now(), places_hold_for);
    return records;
  }

  std::shared_ptr<SlurmRound> round_of(Call& call) const {
    std::shared_ptr<SlurmRound>& round = call.shared<SlurmRounds>()->of_table[this];
    if (!round) round = std::make_shared<SlurmRound>();
    return round;
  }

  // With all jobs that are asked for in the same turn of the loop.
  asio::awaitable<std::shared_ptr<SlurmRound>> round_with(Call& call, std::int64_t id) const {
    std::shared_ptr<SlurmRound> round = round_of(call);
    if (round->is_done) co_return round;
    round->wanted.insert(id);
    if (!round->is_gathered) co_await next_turn();
    round->is_gathered = true;
    co_return round;
  }

  bool is_shared(const SlurmRound& round) const {
    return round.is_done || (round.wanted.size() >= enough_jobs && round.wanted.size() * rows_a_question >= rows_);
  }

  asio::awaitable<Result<bool>> refresh(Call& call, std::shared_ptr<SlurmRound> round) {
    Result<SlurmMarks> marks = co_await source_->marks(call);
    const bool has_none = !marks && (marks.error().code() == Errc::unimplemented || marks.error().code() == Errc::limit_exceeded);
    if (!marks && !has_none) co_return marks.error();
    rows_ = marks ? marks->rows() : 0;
    const Result<void> looked = co_await look_at_nodes(call);
    if (!looked) co_return looked.error();
    const SteadyTime now = impl_of(call).time->now();
    const SlurmMarks* const listed = marks ? &*marks : nullptr;
    const SlurmRoundPlan plan = jobs_.plan(round->wanted, listed, now >= next_list_, now);
    Result<void> asked;
    if (plan.by_list) {
      asked = co_await ask_by_list(call, plan.ids, listed);
    } else {
      auto ask = [this, &call, &plan, listed](std::size_t i) { return ask_one(call, plan.ids[i], listed); };
      asked = co_await join_bounded(plan.ids.size(), questions_at_a_time, std::move(ask), OnFailure::cancel_rest);
    }
    if (!asked) co_return asked.error();
    jobs_.take_nodes(round->wanted, nodes_);
    jobs_.forget_old(now);
    round->is_done = true;
    co_return true;
  }

  // Errors: cancelled. Others leave explanations shorter.
  asio::awaitable<Result<void>> look_at_nodes(Call& call) {
    const SteadyTime now = impl_of(call).time->now();
    if (nodes_ && now < next_nodes_) co_return Result<void>();
    Result<SlurmNodesPointer> nodes = co_await source_->all_nodes(call);
    if (!nodes && nodes.error().code() == Errc::cancelled) co_return nodes.error();
    nodes_failure_.reset();
    if (!nodes) nodes_failure_ = nodes.error();
    nodes_ = nodes ? std::move(*nodes) : nullptr;
    next_nodes_ = source_->knows_node_changes() ? now : saturating_sum(now, nodes_hold_for);
    co_return Result<void>();
  }

  asio::awaitable<Result<void>> ask_by_list(Call& call, std::vector<std::int64_t> ids, const SlurmMarks* marks) {
    const SteadyTime began = impl_of(call).time->now();
    WantedJobs taker(ids);
    const Result<void> listed = co_await source_->list_jobs(call, SlurmListOptions(), taker);
    if (!listed) co_return listed;
    const SteadyTime now = impl_of(call).time->now();
    next_list_ = saturating_sum(now, std::max<Duration>(marks ? pause_of_job_lists : Duration(0), rest_after_list * (now - began)));
    for (const std::int64_t id : ids) jobs_.take(id, std::move(taker.found[id]), marks, now);
    co_return Result<void>();
  }

  asio::awaitable<Result<void>> ask_one(Call& call, std::int64_t id, const SlurmMarks* marks) {
    Result<SlurmJobAnswer> answer = co_await source_->job(call, slurm_id(id), 0);
    if (!answer && is_of_all_jobs(answer.error().code())) co_return answer.error();
    if (!answer) {
      jobs_.fail(id, answer.error());
      co_return Result<void>();
    }
    jobs_.take(id, std::move(answer->records), marks, impl_of(call).time->now());
    co_return Result<void>();
  }

  asio::awaitable<Result<bool>> ask_late(Call& call, std::int64_t id) {
    Result<void> asked = co_await ask_one(call, id, nullptr);
    if (!asked) co_return asked.error();
    co_return true;
  }

  std::shared_ptr<SlurmSource> source_;
  SlurmKnownJobs jobs_;
  std::size_t rows_ = 0;  // that the last list of states had
  SlurmNodesPointer nodes_;
  std::optional<Failure> nodes_failure_;
  SteadyTime next_nodes_{};
  SteadyTime next_list_{};
  std::map<std::string, Place<SlurmPartition>> partitions_;
  Place<SlurmReservation> reservations_;
};

std::string way_of(const SlurmJobOptions& options) {
  return fmt::format("{}\n{}\n{}\n{}", options.restd(), options.token_file(), fmt::join(options.token_command(), "\n"), options.login());
}

}  // namespace

std::shared_ptr<SlurmSource> make_slurm_table(std::shared_ptr<SlurmSource> source) {
  return std::make_shared<SlurmTable>(std::move(source));
}

Result<std::shared_ptr<SlurmSource>> shared_slurm_source(const Runtime& runtime, const SlurmJobOptions& options) {
  Runtime::Impl& impl = impl_of(runtime);
  if (!impl.slurm_sources) impl.slurm_sources = std::make_shared<SlurmSources>();
  std::map<std::string, std::weak_ptr<SlurmSource>>& by_way = impl.slurm_sources->by_way;
  std::erase_if(by_way, [](const auto& one) { return one.second.expired(); });
  std::weak_ptr<SlurmSource>& known = by_way[way_of(options)];
  if (std::shared_ptr<SlurmSource> table = known.lock()) return table;
  Result<std::shared_ptr<SlurmSource>> made =
      options.restd().empty() ? Result<std::shared_ptr<SlurmSource>>(make_slurm_programs()) : make_slurm_rest(options);
  if (!made) return made;
  std::shared_ptr<SlurmSource> table = make_slurm_table(std::move(*made));
  known = table;
  return table;
}

}  // namespace rollcall
