// A list of jobs that is asked for again and again, as for a place that a service follows: after the first time only jobs that are new or
// have changed are asked for, since slurmrestd keeps hundreds of MB for each list of thousands of jobs [facts: slurm-job-cost].
//
// Decision: states do not show that a waiting job was moved to another partition: the oldest records are asked for again, some each time.
// Where Slurm does not list states alone (slurmrestd before 23.11), each list is whole.
#pragma once

#include <map>

#include "resolvers/slurm/slurm_source.hpp"

namespace rollcall {

class ListedSlurmJob {
 public:
  ListedSlurmJob() {}
  std::uint64_t mark = 0;
  SlurmJobRecord record;  ///< id 0: Slurm does not show it
  SteadyTime asked_at{};
};

class SlurmRepeatedList {
 public:
  explicit SlurmRepeatedList(std::shared_ptr<SlurmSource> source) : source_(std::move(source)) {}
  /// As SlurmSource::list_jobs(). `taker` must outlive the await. Lists that overlap are whole.
  asio::awaitable<Result<void>> list(Call& call, SlurmListOptions wanted, SlurmJobTaker& taker);

 private:
  asio::awaitable<Result<void>> list_again(Call& call, SlurmListOptions wanted, SlurmJobTaker& taker);
  asio::awaitable<Result<void>> list_whole(Call& call, SlurmListOptions wanted, const SlurmMarks& marks, SlurmJobTaker& taker);
  asio::awaitable<Result<void>> ask_one(Call& call, std::int64_t id, const SlurmMarks& marks);
  std::vector<std::int64_t> changed(const SlurmMarks& marks) const;
  std::vector<std::int64_t> oldest_waiting(SteadyTime now) const;

  std::shared_ptr<SlurmSource> source_;
  std::map<std::int64_t, ListedSlurmJob> jobs_;  // by their own numbers; empty: there is no whole list yet
  bool is_listing_ = false;
};

}  // namespace rollcall
