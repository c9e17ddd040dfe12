#include "tools/wait_command.hpp"

#include <unistd.h>

#include "launch/render_json.hpp"
#include "launch/render_text.hpp"
#include "tools/asking.hpp"
#include "tools/console.hpp"
#include "tools/exit_codes.hpp"
#include "tools/spec_targets.hpp"
#include "tools/wait_display.hpp"

namespace rollcall::tools {
namespace {

int print_cluster(const ClusterSpec& spec, Format format) {
  const std::string text = format == Format::json ? render_json(spec) : render_text(spec, wants_colour(STDOUT_FILENO));
  return write_result(text) ? exit_answered : exit_failed;
}

}  // namespace

WaitOptions wait_options(const Arguments& arguments, const CallOptions& question) {
  WaitOptions options;
  options.timeout(arguments.timeout).members(arguments.members).question(question);
  options.for_existence(arguments.is_for_existence).for_start(arguments.is_for_start);
  options.fail_if_unschedulable(arguments.fails_if_unschedulable);
  if (arguments.queue_timeout) options.queue_timeout(*arguments.queue_timeout);
  if (arguments.provision_timeout) options.provision_timeout(*arguments.provision_timeout);
  return options;
}

int run_wait(Arguments arguments) {
  Asking asking(arguments, 1);
  asking.hide_progress();
  if (!asking.open()) return exit_usage;
  const Result<std::shared_ptr<ClusterResolver>> resolver = make_together(asking.runtime(), arguments);
  if (!resolver) return refuse(resolver.error());
  WaitDisplay display(asking.executor(), arguments.progress);
  WaitOptions options = wait_options(arguments, asking.call_options());
  options.on_progress([&display, &asking](const WaitProgress& progress) {
    display.take(progress);
    asking.tell(progress.status);
  });
  std::optional<Result<ClusterStatus>> answer;
  asking.ask(try_wait_until_ready(*resolver, arguments.until, std::move(options)), [&answer, &display](Result<ClusterStatus> status) {
    display.stop();
    answer.emplace(std::move(status));
  });
  if (!asking.wait()) return exit_interrupted;
  if (!*answer) return refuse(answer->error());
  return asking.exit_code(print_cluster((*answer)->spec(), arguments.format));
}

}  // namespace rollcall::tools
