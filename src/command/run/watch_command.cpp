// `rollcall watch`.
#include <fmt/format.h>

#include "command/arguments/command_table.hpp"
#include "command/process/hook.hpp"
#include "command/run/followed_cluster.hpp"
#include "command/show/followed_text.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "render/render_status.hpp"
#include "rollcall/watch.hpp"

namespace rollcall::command {
namespace {

// Prints every change, and runs the command for it. Ends when the watch fails, or when standard output's reader has gone.
asio::awaitable<Result<bool>> follow(std::shared_ptr<ClusterWatch> following, const Arguments& arguments, CommandSession& asking) {
  for (;;) {
    const Result<ClusterChange> change = co_await following->try_next();
    if (!change) co_return change.error();
    asking.update_metrics_from(following);
    const WallTime now = std::chrono::system_clock::now();
    const std::string line = arguments.format == Format::json ? render_change_json(*change, now) : change_line(*change, now);
    if (!write_result(line + "\n")) co_return false;
    if (arguments.hook.empty()) continue;
    const HookVariables variables = change_variables(*change, following->status());
    const Result<int> ended = co_await run_hook(arguments.hook, variables, arguments.hook_timeout);
    if (!ended && ended.error().code() == Errc::cancelled) co_return ended.error();
    const std::string trouble = ended ? hook_trouble(*ended) : ended.error().what();
    if (!trouble.empty()) complain(fmt::format("--exec for {}: {}", to_string(change->kind), trouble));
  }
}

}  // namespace

int run_watch(Arguments arguments) {
  FollowedCluster cluster(arguments);
  if (const int code = cluster.open(); code != exit_answered) return code;
  CommandSession& asking = cluster.asking();
  asking.expect_signal();
  WatchOptions options;
  options.until(arguments.until).members(arguments.members).request_options(asking.call_options());
  const std::shared_ptr<ClusterWatch> following = watch(cluster.resolver(), std::move(options));
  std::optional<Result<bool>> answer;
  asking.ask(follow(following, arguments, asking), [&answer, following](Result<bool> ended) {
    following->close();
    answer.emplace(std::move(ended));
  });
  if (!asking.wait()) return exit_interrupted;
  if (*answer) return **answer ? exit_answered : exit_failed;
  return refuse(answer->error());
}

}  // namespace rollcall::command
