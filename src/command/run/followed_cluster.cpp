#include "command/run/followed_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/duration.hpp"
#include "command/ask/launch_facts.hpp"
#include "command/ask/launch_probe.hpp"
#include "command/show/launch_text.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "launch/job_environment.hpp"
#include "rollcall/barrier.hpp"

namespace rollcall::command {
namespace {

// `former`: the number of members when the cluster was ready before; 0: it was not.
WaitOptions wait_options(const Arguments& arguments, const CallOptions& question, int former) {
  WaitOptions options;
  options.timeout(arguments.timeout).members(arguments.members).request_options(question);
  options.for_existence(arguments.is_for_existence).for_start(arguments.is_for_start || arguments.is_for_return);
  options.for_replacement(arguments.is_for_return);
  options.fail_if_unschedulable(arguments.fails_if_unschedulable);
  if (arguments.restarts_on_lost) {  // with --restart-on lost, wait for replacements of lost members
    options.for_replacement(true).for_start(true).for_existence(arguments.is_for_existence || former > 0);
    if (arguments.members == 0) options.members(former);
    options.min_members(arguments.min_members);
    if (arguments.last_call) options.last_call(*arguments.last_call);
  }
  if (arguments.queue_timeout) options.queue_timeout(*arguments.queue_timeout);
  if (arguments.provision_timeout) options.provision_timeout(*arguments.provision_timeout);
  return options;
}

bool is_fixed(const ClusterPart& part) { return is_of_fixed_list(part.target); }

// A late call names its own deadline, the rest of the wait's time: show the whole time-out as well.
Failure with_whole_timeout(const std::string& subject, Duration timeout, Failure failure) {
  const bool is_late = failure.code() == Errc::deadline_exceeded || failure.code() == Errc::response_timeout;
  if (!is_late) return failure;
  failure.with_what(fmt::format("{}: ready, but not all facts for the launch could be found within {}: {}", subject, duration_text(timeout),
                                failure.what()));
  return failure;
}

}  // namespace

int FollowedCluster::open() {
  session_.hide_progress();
  if (!session_.open()) return exit_usage;
  const Result<std::vector<ListedTarget>> targets = collect_targets(arguments_);
  if (!targets) return refuse(targets.error());
  Result<std::vector<ClusterPart>> parts = make_parts(session_.runtime(), *targets, arguments_);
  if (!parts) return refuse(parts.error());
  parts_ = std::move(*parts);
  resolver_ = put_together(session_.runtime(), parts_);
  return exit_answered;
}

// The display ends when the cluster is ready: later questions are not about members.
asio::awaitable<Result<ReadyCluster>> FollowedCluster::wait_and_ask(WaitOptions options, std::vector<LaunchFormat> forms,
                                                                    WaitDisplay& display) {
  const QuestionOptions shared(session_.call_options());
  if (!forms.empty() && arguments_.launch.task && std::all_of(parts_.begin(), parts_.end(), is_fixed)) {
    // If such a list lacks a task now, it also lacks it when its members are ready.
    const Result<ClusterSpec> listed = co_await resolver_->try_cluster_spec(shared.next());
    const Result<void> fine = listed ? check_launched_task(*listed, *arguments_.launch.task) : Result<void>();
    if (!fine) co_return fine.error();
  }
  Result<ClusterStatus> status = co_await try_wait_until_ready(resolver_, arguments_.until, std::move(options));
  if (!status) co_return status.error();
  display.stop();
  ReadyCluster ready;
  ready.status = std::move(*status);
  if (forms.empty()) co_return ready;
  auto question = ask_launch_facts(arguments_.launch, ready.status.spec(), ready.status, forms, parts_, resolver_, shared);
  Result<LaunchFacts> facts = co_await with_probe(arguments_.probes_coordinator, std::move(question), session_.runtime(), forms, shared);
  if (!facts) co_return with_whole_timeout(resolver_->describe(), arguments_.timeout, facts.error());
  ready.facts = std::move(*facts);
  if (arguments_.waits_at_barrier) {
    const Result<void> met = co_await meet(ready, shared.next());
    if (!met) co_return met.error();
  }
  co_return ready;
}

asio::awaitable<Result<void>> FollowedCluster::meet(const ReadyCluster& ready, CallOptions options) {
  const LaunchFacts& facts = ready.facts;
  if (!facts.task) {
    co_return Failure(Errc::failed_precondition, "a task that waits for the others at a barrier must know which one it is")
        .with_hint("name it by --task JOB:INDEX");
  }
  const Result<void> fine = before_barrier_ ? before_barrier_(ready) : Result<void>();
  if (!fine) co_return fine.error();
  BarrierOptions barrier;
  barrier.port(arguments_.barrier_port.value_or(0)).run(facts.job_id.empty() ? facts.run : facts.job_id);
  barrier.request_options(std::move(options));
  const bool is_shown = !arguments_.is_quiet && arguments_.progress != ProgressForm::none && arguments_.progress != ProgressForm::json &&
                        arguments_.log != LogForm::json;
  if (is_shown) barrier.on_progress([](const BarrierProgress& progress) { complain(fmt::format("barrier: {}", progress.line())); });
  co_return co_await try_barrier(session_.runtime(), facts.spec, *facts.task, std::move(barrier));
}

std::optional<Result<ReadyCluster>> FollowedCluster::wait(const std::vector<LaunchFormat>& forms, int former) {
  std::optional<ProgressForm> form = arguments_.progress;
  if (!form && arguments_.is_quiet) form = ProgressForm::none;
  if (!form && arguments_.log == LogForm::json) form = ProgressForm::json;  // the reader of standard error parses every line
  WaitDisplay display(session_.executor(), form, WaitSubject(resolver_->describe(), arguments_.timeout));
  session_.before_line([&display] { display.erase(); });
  WaitOptions options = wait_options(arguments_, session_.call_options(), former);
  options.on_progress([&display, this](const WaitProgress& progress) {
    display.take(progress);
    session_.update_metrics(progress.status);
  });
  std::optional<Result<ReadyCluster>> answer;
  session_.ask(wait_and_ask(std::move(options), forms, display), [&answer, &display](Result<ReadyCluster> ready) {
    display.leave();
    answer.emplace(std::move(ready));
  });
  if (!session_.wait()) answer.reset();
  if (answer && *answer && (*answer)->status.members.empty() && !arguments_.is_quiet) complain(empty_cluster_text(arguments_));
  session_.before_line(nullptr);
  if (arguments_.is_verbose && !forms.empty() && answer && *answer) print_task_order(parts_);
  return answer;
}

}  // namespace rollcall::command
