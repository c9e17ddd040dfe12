// `rollcall serve`: the service that asks the clouds for many launchers, until a signal comes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command/arguments/command_table.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "command/terminal/signals.hpp"
#include "rollcall/fleet_service.hpp"

namespace rollcall::tools {
namespace {

asio::awaitable<Result<bool>> drain_service(std::shared_ptr<FleetService> service, Duration patience) {
  co_await service->drain(patience);
  co_return true;
}

// `--project` and its like are defaults of a session's targets; what is asked of the service says all of it.
Result<void> check_service_options(const Arguments& arguments) {
  const bool is_of_session = !arguments.project.empty() || !arguments.zone.empty() || arguments.api;
  if (!is_of_session) return Result<void>();
  return Failure(Errc::invalid_argument, "--project, --zone and --api go with --stdio: launchers name project and zone in their targets");
}

}  // namespace

int run_fleet_service(const Arguments& arguments) {
  if (const Result<void> sensible = check_service_options(arguments); !sensible) return refuse(sensible.error(), exit_usage);
  CommandSession session(arguments, 0);
  session.hide_progress();
  session.leave_signals();
  session.ask_directly();
  if (!session.open()) return exit_usage;
  FleetServiceOptions options;
  if (!arguments.listen.empty()) options.listen = arguments.listen;
  const Result<std::shared_ptr<FleetService>> started = FleetService::start(session.runtime(), options);
  if (!started) return refuse(started.error(), started.error().code() == Errc::failed_precondition ? exit_failed : exit_usage);
  const std::string urls = fmt::format("{}", fmt::join((*started)->urls(), ","));
  // As `rollcall sim` does: for `eval "$(…)"`, or for people to read.
  if (!write_result(fmt::format("export ROLLCALL_SERVER='{}'\n", urls))) return exit_failed;

  bool is_ending = false;
  SignalQueue signals(session.executor(), {SIGINT, SIGTERM});
  if (!signals.open()) {
    complain("serve: signals cannot be received: too many descriptors are open (ulimit -n)");
    return exit_failed;
  }
  signals.listen([&](ArrivedSignal) {
    if (std::exchange(is_ending, true)) {  // a second one does not wait
      session.interrupt();
    } else {
      session.ask(drain_service(*started, arguments.drain), [](const Result<bool>&) {});
    }
  });
  while (!is_ending) session.loop().run_one();
  session.wait();
  signals.stop();
  (*started)->stop();
  return exit_answered;
}

}  // namespace rollcall::tools
