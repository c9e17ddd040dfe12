#include "command/run/followed_cluster.hpp"

#include "command/ask/launch_facts.hpp"
#include "command/ask/launch_probe.hpp"
#include "command/show/launch_text.hpp"
#include "command/show/wait_display.hpp"
#include "command/terminal/exit_codes.hpp"

namespace rollcall::tools {
namespace {

// `former`: of how many members it was when it was ready before, if it was.
WaitOptions wait_options(const Arguments& arguments, const CallOptions& question, int former) {
  WaitOptions options;
  options.timeout(arguments.timeout).members(arguments.members).request_options(question);
  options.for_existence(arguments.is_for_existence).for_start(arguments.is_for_start || arguments.is_for_return);
  options.for_replacement(arguments.is_for_return);
  options.fail_if_unschedulable(arguments.fails_if_unschedulable);
  if (arguments.restarts_on_lost) {  // whoever counts on replacement waits for it, wherever it happens
    options.for_replacement(true).for_start(true).for_existence(arguments.is_for_existence || former > 0);
    if (arguments.members == 0) options.members(former);
    options.min_members(arguments.min_members);
    if (arguments.last_call) options.last_call(*arguments.last_call);
  }
  if (arguments.queue_timeout) options.queue_timeout(*arguments.queue_timeout);
  if (arguments.provision_timeout) options.provision_timeout(*arguments.provision_timeout);
  return options;
}

}  // namespace

int FollowedCluster::open() {
  asking_.hide_progress();
  if (!asking_.open()) return exit_usage;
  const Result<std::vector<ListedTarget>> targets = collect_targets(arguments_);
  if (!targets) return refuse(targets.error());
  Result<std::vector<ClusterPart>> parts = make_parts(asking_.runtime(), *targets, arguments_);
  if (!parts) return refuse(parts.error());
  parts_ = std::move(*parts);
  resolver_ = put_together(asking_.runtime(), parts_);
  return exit_answered;
}

Result<LaunchFacts> FollowedCluster::ask_launch_facts(const ClusterSpec& spec, const std::vector<LaunchFormat>& forms) {
  Result<LaunchFacts> answer = Failure(Errc::cancelled, "nothing was asked");
  auto question = tools::ask_launch_facts(arguments_.launch, spec, forms, parts_, resolver_, asking_.call_options());
  asking_.ask(with_probe(arguments_.probes_coordinator, std::move(question), asking_.runtime(), forms, asking_.call_options()),
              [&answer](Result<LaunchFacts> facts) { answer = std::move(facts); });
  asking_.loop().restart();
  asking_.loop().run();
  if (arguments_.is_verbose && answer) tell_order(parts_);
  return answer;
}

std::optional<Result<ClusterStatus>> FollowedCluster::wait(int former) {
  std::optional<ProgressForm> form = arguments_.progress;
  if (!form && arguments_.is_quiet) form = ProgressForm::none;
  if (!form && arguments_.log == LogForm::json) form = ProgressForm::json;  // whoever reads standard error parses every line
  WaitDisplay display(asking_.executor(), form, WaitSubject(resolver_->describe(), arguments_.timeout));
  asking_.before_line([&display] { display.erase(); });
  WaitOptions options = wait_options(arguments_, asking_.call_options(), former);
  options.on_progress([&display, this](const WaitProgress& progress) {
    display.take(progress);
    asking_.tell(progress.status);
  });
  std::optional<Result<ClusterStatus>> answer;
  asking_.ask(try_wait_until_ready(resolver_, arguments_.until, std::move(options)), [&answer, &display](Result<ClusterStatus> status) {
    if (status) {
      display.stop();
    } else {
      display.leave();
    }
    answer.emplace(std::move(status));
  });
  if (!asking_.wait()) answer.reset();
  asking_.before_line(nullptr);
  return answer;
}

}  // namespace rollcall::tools
