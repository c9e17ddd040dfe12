#include "resolvers/slurm/slurm_repeated_list.hpp"

#include <algorithm>
#include <utility>

#include "async/group.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_kept_jobs = 50'000;
constexpr std::size_t few_changed_jobs = 64;
constexpr std::size_t rows_of_a_change = 6;  // a question for one job costs as much as so many jobs of a whole list [facts: slurm-job-cost]
constexpr std::size_t max_changes_asked = 2000;  // each time: some seconds of slurmrestd
constexpr std::size_t changes_at_a_time = 8;  // slurmrestd drops connections of more
constexpr std::size_t max_old_records = 64;  // each time
constexpr Duration record_is_old = std::chrono::minutes(5);

/// Passes jobs on, and keeps them.
class KeepingTaker final : public SlurmJobTaker {
 public:
  KeepingTaker(SlurmJobTaker& to, std::map<std::int64_t, ListedSlurmJob>& jobs, const SlurmMarks& marks, SteadyTime now)
      : to_(to), jobs_(jobs), marks_(marks), now_(now) {}
  void restart() override {
    jobs_.clear();
    to_.restart();
  }
  std::size_t take(SlurmJobRecord job) override {
    if (jobs_.size() > max_kept_jobs) return to_.take(std::move(job));
    ListedSlurmJob& known = jobs_[job.id];
    known.mark = marks_.of(job.id);
    known.asked_at = now_;
    known.record = job;
    return sizeof(ListedSlurmJob) + to_.take(std::move(job));
  }

 private:
  SlurmJobTaker& to_;
  std::map<std::int64_t, ListedSlurmJob>& jobs_;
  const SlurmMarks& marks_;
  SteadyTime now_;
};

}  // namespace

asio::awaitable<Result<void>> SlurmRepeatedList::list(Call& call, SlurmListOptions wanted, SlurmJobTaker& taker) {
  if (is_listing_) co_return co_await source_->list_jobs(call, std::move(wanted), taker);
  is_listing_ = true;
  Result<void> listed = co_await list_again(call, std::move(wanted), taker);
  is_listing_ = false;
  co_return listed;
}

asio::awaitable<Result<void>> SlurmRepeatedList::list_again(Call& call, SlurmListOptions wanted, SlurmJobTaker& taker) {
  const Result<SlurmMarks> marks = co_await source_->marks(call);
  const bool has_none = !marks && (marks.error().code() == Errc::unimplemented || marks.error().code() == Errc::limit_exceeded);
  if (has_none) jobs_.clear();
  if (has_none) co_return co_await source_->list_jobs(call, std::move(wanted), taker);
  if (!marks) co_return marks.error();
  std::vector<std::int64_t> due = changed(*marks);
  const bool costs_more = due.size() > few_changed_jobs && due.size() * rows_of_a_change > marks->rows();
  if (jobs_.empty() || costs_more) co_return co_await list_whole(call, std::move(wanted), *marks, taker);
  due.resize(std::min(due.size(), max_changes_asked));
  std::erase_if(jobs_, [&marks](const auto& one) { return marks->of(one.first) == 0; });
  const std::vector<std::int64_t> old = oldest_waiting(impl_of(call).time->now());
  due.insert(due.end(), old.begin(), old.end());
  auto ask = [this, &call, &due, &marks](std::size_t i) { return ask_one(call, due[i], *marks); };
  const Result<void> asked = co_await join_bounded(due.size(), changes_at_a_time, std::move(ask), OnFailure::cancel_rest);
  if (!asked) co_return asked;
  taker.restart();
  for (const auto& [id, known] : jobs_) {
    if (known.record.id != 0) taker.take(known.record);
  }
  co_return Result<void>();
}

// The states are older than the list: what changes between the two differs from its mark the next time.
asio::awaitable<Result<void>> SlurmRepeatedList::list_whole(Call& call, SlurmListOptions wanted, const SlurmMarks& marks,
                                                            SlurmJobTaker& taker) {
  KeepingTaker keeping(taker, jobs_, marks, impl_of(call).time->now());
  const Result<void> listed = co_await source_->list_jobs(call, std::move(wanted), keeping);
  if (!listed || jobs_.size() > max_kept_jobs) jobs_.clear();
  if (jobs_.empty()) co_return listed;
  for (const auto& [id, mark] : marks.all()) {  // of those that are not shown
    const bool is_new = !jobs_.contains(id);
    if (is_new) jobs_[id].mark = mark;
  }
  co_return listed;
}

// New jobs first.
std::vector<std::int64_t> SlurmRepeatedList::changed(const SlurmMarks& marks) const {
  std::vector<std::int64_t> due;
  std::vector<std::int64_t> others;
  for (const auto& [id, mark] : marks.all()) {
    const auto known = jobs_.find(id);
    if (known == jobs_.end()) due.push_back(id);
    if (known != jobs_.end() && known->second.mark != mark) others.push_back(id);
  }
  due.insert(due.end(), others.begin(), others.end());
  return due;
}

std::vector<std::int64_t> SlurmRepeatedList::oldest_waiting(SteadyTime now) const {
  std::vector<std::pair<SteadyTime, std::int64_t>> waiting;
  for (const auto& [id, known] : jobs_) {
    if (known.record.is_pending() && now - known.asked_at >= record_is_old) waiting.emplace_back(known.asked_at, id);
  }
  const std::size_t count = std::min(waiting.size(), max_old_records);
  std::partial_sort(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count), waiting.end());
  std::vector<std::int64_t> oldest;
  for (std::size_t i = 0; i < count; ++i) oldest.push_back(waiting[i].second);
  return oldest;
}

asio::awaitable<Result<void>> SlurmRepeatedList::ask_one(Call& call, std::int64_t id, const SlurmMarks& marks) {
  SlurmReference wanted;
  wanted.id = id;
  Result<SlurmJobAnswer> answer = co_await source_->job(call, std::move(wanted), 0);
  const bool is_hidden = !answer && (answer.error().code() == Errc::not_found || answer.error().code() == Errc::permission_denied);
  if (!answer && !is_hidden) co_return answer.error();
  ListedSlurmJob& own = jobs_[id];
  own.mark = marks.of(id);
  own.asked_at = impl_of(call).time->now();
  own.record = SlurmJobRecord();
  if (is_hidden) co_return Result<void>();
  const auto is_it = [id](const SlurmJobRecord& record) { return record.id == id; };
  const auto found = std::find_if(answer->records.begin(), answer->records.end(), is_it);
  if (found != answer->records.end()) own.record = std::move(*found);
  co_return Result<void>();
}

}  // namespace rollcall
