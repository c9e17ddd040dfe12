#include "command/ask/own_place.hpp"

#include "command/ask/slices.hpp"

namespace rollcall::command {

asio::awaitable<Result<OwnPlace>> ask_own_place(std::vector<ClusterPart> parts, std::shared_ptr<ClusterResolver> together,
                                                QuestionOptions options, bool needs_member) {
  const Result<ClusterSpec> spec = co_await together->try_cluster_spec(options.next());
  if (!spec) co_return spec.error();
  const Result<void> whole = check_slices(parts, "the number of a task");  // programs take it for a rank
  if (!whole) co_return whole.error();
  std::vector<Member> members;
  if (needs_member || counts_within_part()) {
    Result<ClusterStatus> status = co_await together->try_cluster_status(options.next());
    if (!status) co_return status.error();
    members = std::move(status->members);
  }
  Result<OwnTask> task = co_await find_own_task(*spec, members, std::move(parts), std::move(options));
  if (!task) co_return task.error();
  OwnPlace place;
  for (const ClusterSpec::Job& job : spec->job_list()) place.tasks += job.tasks.size();
  // An evaluator may stand outside; a task of a job that the cluster has must be one of its tasks.
  const Result<std::string> address = spec->task_address(task->job, task->index);
  if (!address && spec->has_job(task->job)) co_return address.error();
  if (address) place.address = *address;
  if (const Member* const member = MemberTable(members).find(task->job, task->index)) place.member = *member;
  place.task = std::move(*task);
  co_return place;
}

}  // namespace rollcall::command
