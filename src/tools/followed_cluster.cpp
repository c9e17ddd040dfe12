#include "tools/followed_cluster.hpp"

#include "tools/exit_codes.hpp"
#include "tools/spec_targets.hpp"
#include "tools/wait_display.hpp"

namespace rollcall::tools {
namespace {

WaitOptions wait_options(const Arguments& arguments, const CallOptions& question) {
  WaitOptions options;
  options.timeout(arguments.timeout).members(arguments.members).question(question);
  options.for_existence(arguments.is_for_existence).for_start(arguments.is_for_start);
  options.fail_if_unschedulable(arguments.fails_if_unschedulable);
  if (arguments.queue_timeout) options.queue_timeout(*arguments.queue_timeout);
  if (arguments.provision_timeout) options.provision_timeout(*arguments.provision_timeout);
  return options;
}

}  // namespace

int FollowedCluster::open() {
  asking_.hide_progress();
  if (!asking_.open()) return exit_usage;
  Result<std::shared_ptr<ClusterResolver>> resolver = make_together(asking_.runtime(), arguments_);
  if (!resolver) return refuse(resolver.error());
  resolver_ = std::move(*resolver);
  return exit_answered;
}

std::optional<Result<ClusterStatus>> FollowedCluster::wait() {
  WaitDisplay display(asking_.executor(), arguments_.progress);
  asking_.before_line([&display] { display.erase(); });
  WaitOptions options = wait_options(arguments_, asking_.call_options());
  options.on_progress([&display, this](const WaitProgress& progress) {
    display.take(progress);
    asking_.tell(progress.status);
  });
  std::optional<Result<ClusterStatus>> answer;
  asking_.ask(try_wait_until_ready(resolver_, arguments_.until, std::move(options)), [&answer, &display](Result<ClusterStatus> status) {
    display.stop();
    answer.emplace(std::move(status));
  });
  if (!asking_.wait()) answer.reset();
  asking_.before_line(nullptr);
  return answer;
}

}  // namespace rollcall::tools
