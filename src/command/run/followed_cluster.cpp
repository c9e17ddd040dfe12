#include "command/run/followed_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "async/with_background.hpp"
#include "base/duration.hpp"
#include "base/text.hpp"
#include "command/ask/launch_facts.hpp"
#include "command/ask/launch_probe.hpp"
#include "command/ask/own_preflight.hpp"
#include "command/ask/own_task.hpp"
#include "command/process/member_news.hpp"
#include "command/run/cluster_preflight.hpp"
#include "command/show/launch_text.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "launch/job_environment.hpp"
#include "render/render_barrier.hpp"
#include "render/render_preflight.hpp"
#include "rollcall/preflight.hpp"

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
  } else if (arguments.waits_at_barrier && former > 0) {  // those who are left never start without the others
    options.for_existence(true);
    if (arguments.members == 0) options.members(former);
  }
  if (arguments.queue_timeout) options.queue_timeout(*arguments.queue_timeout);
  if (arguments.provision_timeout) options.provision_timeout(*arguments.provision_timeout);
  return options;
}

// None: as standard error is a terminal or not.
std::optional<ProgressForm> progress_form(const Arguments& arguments) {
  if (arguments.progress || arguments.is_quiet) return arguments.progress.value_or(ProgressForm::none);
  if (arguments.log == LogForm::json) return ProgressForm::json;  // the reader of standard error parses every line
  return std::nullopt;
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

// Follows the cluster of a task that is at the barrier.
class FollowedCluster::BarrierWatch {
 public:
  BarrierWatch(FollowedCluster& cluster, const ClusterStatus& waited)
      : arguments_(cluster.arguments_), following_(watch(cluster.resolver_, options_of(cluster))),
        news_(std::make_shared<MemberNews>(
            following_, StartedCluster(waited), MeasuredBy::start, [this](const News& news) { take(news); }, [](const ClusterStatus&) {})) {
  }
  ~BarrierWatch() { news_->close(); }
  BarrierWatch(const BarrierWatch&) = delete;
  BarrierWatch& operator=(const BarrierWatch&) = delete;

  /// Until cancelled. A failure: the members are not those that were waited for. What cannot be followed holds nothing up.
  asio::awaitable<Result<void>> follow() {
    const Failure end = co_await MemberNews::follow(news_);
    static_cast<void>(end);
    if (change_) co_return Failure(Errc::conflict, *change_);
    co_return Result<void>();
  }
  bool has_changed() const noexcept { return change_.has_value(); }

 private:
  static WatchOptions options_of(const FollowedCluster& cluster) {
    WatchOptions options;
    options.until(cluster.arguments_.until).members(cluster.arguments_.members).request_options(cluster.session_.call_options());
    options.machine_notices(false);
    return options;
  }
  void take(const News& news) {
    const bool asks_members = includes(arguments_.until, Readiness::reachable) || includes(arguments_.until, Readiness::devices);
    const bool is_growth = news.kind == NewsKind::joined && arguments_.min_members > 0 && !(news.is_of_first_poll && asks_members);
    if (change_ || (news.kind != NewsKind::members && news.kind != NewsKind::end && !is_growth)) return;
    change_ = news.why;
    news_->close();
  }

  const Arguments& arguments_;
  std::shared_ptr<ClusterWatch> following_;
  std::shared_ptr<MemberNews> news_;
  std::optional<std::string> change_;
};

int FollowedCluster::open() {
  session_.hide_progress();
  if (!session_.open()) return exit_usage;
  const Result<std::vector<ListedTarget>> targets = collect_targets(arguments_);
  if (!targets) return refuse(targets.error());
  Result<std::vector<ClusterPart>> parts = make_parts(session_.runtime(), *targets, arguments_);
  if (!parts) return refuse(parts.error());
  parts_ = std::move(*parts);
  resolver_ = put_together(session_.runtime(), parts_);
  if (arguments_.waits_at_barrier) stages_.open(arguments_.is_quiet, !arguments_.barrier_port);
  return exit_answered;
}

// The display ends when the cluster is ready: later questions are not about members.
asio::awaitable<Result<ReadyCluster>> FollowedCluster::wait_and_ask(WaitOptions options, std::vector<LaunchFormat> forms,
                                                                    WaitDisplay& display, const QuestionOptions& shared) {
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
  // Variables alone are the list's own word. A launcher's may contradict it, which a program of its own may not notice.
  const bool is_list_alone = std::all_of(forms.begin(), forms.end(), [](LaunchFormat form) { return form == LaunchFormat::env; });
  if (is_list_alone && !arguments_.launch.task && ready.facts.task) {
    const Result<OwnTask> own = co_await find_own_task(ready.facts.spec, ready.facts.members, parts_, shared);
    if (!own && own.error().code() == Errc::conflict) report_line("rollcall: started all the same: " + own.error().what());
  }
  if (arguments_.min_members > 0) {
    Result<ClusterSpec> numbered = renumber(ready.facts.spec, ready.facts.task);
    if (!numbered) co_return numbered.error();
    ready.facts.spec = std::move(*numbered);
  }
  co_return ready;
}

// While this task is at the barrier, the cluster is followed: tasks that have other lists of members never meet.
asio::awaitable<Result<ReadyCluster>> FollowedCluster::wait_and_meet(std::vector<LaunchFormat> forms, int former,
                                                                     std::optional<WaitDisplay>& display) {
  const QuestionOptions shared(session_.call_options());
  for (bool is_again = false;; is_again = true) {
    stages_.begin("wait");
    begin_display(display);
    WaitOptions options = wait_options(arguments_, session_.call_options(), former);
    if (is_again) options.timeout(shared.next().timeout());  // else as given: messages show it
    options.on_progress([&display, this](const WaitProgress& progress) {
      display->take(progress);
      session_.update_metrics(progress.status);
    });
    Result<ReadyCluster> ready = co_await wait_and_ask(std::move(options), forms, *display, shared);
    if (!ready || forms.empty() || !(arguments_.preflights || arguments_.waits_at_barrier)) co_return ready;
    const Result<void> fine = check_own_part(*ready);
    if (!fine) co_return fine.error();
    if (arguments_.preflights) {
      stages_.begin("preflight");
      const Result<void> able = co_await check_all(*ready, shared);
      if (!able) co_return able.error();
    }
    if (!arguments_.waits_at_barrier) co_return ready;
    stages_.begin({});
    BarrierWatch watched(*this, ready->status);
    const Result<BarrierRelease> met = co_await with_background<BarrierRelease>(watched.follow(), meet(*ready, shared.next()));
    if (met) {
      generation_ = met->generation;
      stages_.forget();
      ready->generation = met->generation;
      co_return ready;
    }
    if (!watched.has_changed() || met.error().code() != Errc::conflict) co_return met.error();
    if (!arguments_.is_quiet) complain(fmt::format("barrier: left, since the cluster has changed: {}", met.error().what()));
    former = std::max(former, static_cast<int>(ready->status.members.size()));
    asio::steady_timer pause(session_.executor(), std::chrono::seconds(1));
    co_await pause.async_wait(asio::use_awaitable);
  }
}

// Fewer than all may start only if no two sets of them can.
Result<void> FollowedCluster::check_halves(const ReadyCluster& ready) const {
  if (arguments_.min_members == 0) return {};
  const bool is_listed = std::all_of(parts_.begin(), parts_.end(), is_fixed);
  const int all = std::max({arguments_.members, ready.status.expected, is_listed ? static_cast<int>(ready.status.members.size()) : 0});
  if (all == 0) {
    return Failure(Errc::failed_precondition, "--barrier with --min-members: it is not known how many members the cluster has in all")
        .with_hint("give the number by --members: two parts of a cluster must not start without each other");
  }
  if (arguments_.min_members > all / 2) return {};
  return Failure(Errc::failed_precondition,
                 fmt::format("--min-members {} is not more than half of the {} members: two parts could start without each other",
                             arguments_.min_members, all))
      .with_hint(fmt::format("with --barrier name {} or more", all / 2 + 1));
}

// What may fail on this host alone does so before the others are met.
Result<void> FollowedCluster::check_own_part(const ReadyCluster& ready) const {
  if (!ready.facts.task) {
    return Failure(Errc::failed_precondition, "a task that meets the others must know which one it is")
        .with_hint("name it by --task JOB:INDEX");
  }
  const Result<void> whole = arguments_.waits_at_barrier ? check_halves(ready) : Result<void>();
  if (!whole) return whole;
  return before_meeting_ ? before_meeting_(ready) : Result<void>();
}

// The verdict is the same for all; it goes to standard error, since the program has standard output.
asio::awaitable<Result<void>> FollowedCluster::check_all(const ReadyCluster& ready, const QuestionOptions& shared) {
  const LaunchFacts& facts = ready.facts;
  const std::string run = facts.job_id.empty() ? facts.run : facts.job_id;
  PreflightOptions options;
  options.run(run).secret_file(arguments_.secret_file).timeout(shared.next().timeout()).port(arguments_.preflight_port.value_or(0));
  options.blocks(blocks_by_service(facts.members));
  auto preflight = preflight_here(arguments_, session_, facts.spec, *facts.task, std::move(options), shared);
  auto shown = stages_.keep_reporting(session_.runtime(), facts.spec, *facts.task, run);
  const Result<PreflightVerdict> verdict = co_await with_background<PreflightVerdict>(std::move(shown), std::move(preflight));
  if (!verdict) co_return verdict.error();
  if (!arguments_.is_quiet || !verdict->passed) {
    const std::string text = render_preflight_text("preflight", *verdict);
    for (const std::string_view line : split(text, '\n')) {
      if (!line.empty()) complain(line);
    }
  }
  if (verdict->passed) co_return Result<void>();
  has_failed_preflight_ = true;
  co_return Failure(Errc::failed_precondition,
                    fmt::format("the preflight failed: {} is not started", printable(arguments_.program.front(), 64)));
}

asio::awaitable<Result<BarrierRelease>> FollowedCluster::meet(const ReadyCluster& ready, CallOptions options) {
  const LaunchFacts& facts = ready.facts;
  BarrierOptions barrier;
  barrier.secret_file(arguments_.secret_file)
      .port(arguments_.barrier_port.value_or(0))
      .run(facts.job_id.empty() ? facts.run : facts.job_id);
  const std::uint64_t counted = std::min<std::uint64_t>(ready.status.generation.value_or(0), std::numeric_limits<std::int64_t>::max());
  barrier.generation(std::max<std::int64_t>(generation_ + 1, static_cast<std::int64_t>(counted)));
  barrier.request_options(std::move(options));
  barrier.stages(stages_.all());
  const std::optional<ProgressForm> form = progress_form(arguments_);
  if (form == ProgressForm::json) {
    barrier.on_progress(
        [](const BarrierProgress& progress) { report_json(render_barrier_json(progress, std::chrono::system_clock::now())); });
  } else if (form != ProgressForm::none) {
    barrier.on_progress([](const BarrierProgress& progress) { complain(fmt::format("barrier: {}", progress.line())); });
  }
  co_return co_await try_barrier(session_.runtime(), facts.spec, *facts.task, std::move(barrier));
}

void FollowedCluster::begin_display(std::optional<WaitDisplay>& display) {
  display.emplace(session_.executor(), progress_form(arguments_), WaitSubject(resolver_->describe(), arguments_.timeout));
}

std::optional<Result<ReadyCluster>> FollowedCluster::wait(const std::vector<LaunchFormat>& forms, int former) {
  std::optional<WaitDisplay> display;
  session_.before_line([&display] {
    if (display) display->erase();
  });
  std::optional<Result<ReadyCluster>> answer;
  session_.ask(wait_and_meet(forms, former, display), [&answer, &display](Result<ReadyCluster> ready) {
    if (display) display->leave();
    answer.emplace(std::move(ready));
  });
  if (!session_.wait()) answer.reset();
  if (answer && *answer && (*answer)->status.members.empty() && !arguments_.is_quiet) complain(empty_cluster_text(arguments_));
  session_.before_line(nullptr);
  if (arguments_.is_verbose && !forms.empty() && answer && *answer) print_task_order(parts_);
  return answer;
}

}  // namespace rollcall::command
