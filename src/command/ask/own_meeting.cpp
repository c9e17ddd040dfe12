#include "command/ask/own_meeting.hpp"

#include "command/ask/launch_facts.hpp"
#include "command/ask/own_task.hpp"
#include "command/ask/slices.hpp"

namespace rollcall::command {

asio::awaitable<Result<OwnMeeting>> ask_own_meeting(std::vector<ClusterPart> parts, std::shared_ptr<ClusterResolver> together,
                                                    LaunchFacts given, std::string what, QuestionOptions options) {
  Result<ClusterSpec> spec = co_await together->try_cluster_spec(options.next());
  if (!spec) co_return spec.error();
  const Result<void> whole = check_slices(parts, what);
  if (!whole) co_return whole.error();
  OwnMeeting meeting;
  if (given.task) {
    meeting.task = *given.task;
  } else {
    std::vector<Member> members;
    const Result<OwnTask> own = co_await find_own_task(*spec, std::move(members), parts, options);
    if (!own) co_return own.error();
    meeting.task = LaunchedTask(own->job, own->index);
  }
  meeting.spec = std::move(*spec);
  meeting.run = given.job_id.empty() ? run_of(parts) : given.job_id;
  co_return meeting;
}

}  // namespace rollcall::command
