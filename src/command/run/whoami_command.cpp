// `rollcall whoami`: which task of a cluster this process is, and what each launcher says about it.
#include <fmt/format.h>

#include "command/arguments/command_table.hpp"
#include "command/ask/own_task.hpp"
#include "command/ask/slices.hpp"
#include "command/run/one_question.hpp"
#include "command/show/whoami_text.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/whoami.hpp"

namespace rollcall::command {
namespace {

// The cluster is asked for even where no variable says anything: an address may be the evidence.
asio::awaitable<Result<OwnPlace>> ask_whoami(const Arguments&, std::vector<ClusterPart> parts, std::shared_ptr<ClusterResolver> together,
                                             CallOptions options) {
  OwnPlace place;
  const QuestionOptions shared(std::move(options));
  const Result<ClusterSpec> spec = co_await together->try_cluster_spec(shared.next());
  if (!spec) {
    place.failure = spec.error();
    co_return place;
  }
  if (const Result<void> whole = check_slices(parts, "the number of a task"); !whole) {  // programs take it for a rank
    place.failure = whole.error();
    co_return place;
  }
  for (const ClusterSpec::Job& job : spec->job_list()) place.tasks += job.tasks.size();
  Result<ClusterStatus> status = co_await together->try_cluster_status(shared.next());
  if (!status) {
    place.failure = status.error();
    co_return place;
  }
  const Result<OwnTask> task = co_await find_own_task(*spec, status->members, std::move(parts), shared);
  if (!task) {
    place.failure = task.error();
    co_return place;
  }
  place.task = *task;
  for (Member& member : status->members) {
    if (member.job == task->job && member.index == task->index) place.member = std::move(member);
  }
  if (const Result<std::string> address = spec->task_address(task->job, task->index)) place.address = *address;
  co_return place;
}

int print_whoami(const OwnPlace& place, const Arguments& arguments) {
  const std::vector<Testimony> witnesses = hear_witnesses(*process_environment());
  const bool is_json = arguments.format == Format::json;
  if (!write_result(is_json ? render_whoami_json(witnesses, place) : render_whoami_text(witnesses, place))) return exit_failed;
  return place.failure ? refuse(*place.failure) : exit_answered;
}

}  // namespace

int run_whoami(Arguments arguments) {
  if (arguments.positionals.empty()) arguments.positionals.emplace_back("auto:");
  return answer_together(arguments, ask_whoami, print_whoami);
}

}  // namespace rollcall::command
