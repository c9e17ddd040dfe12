// `rollcall serve`: the service that asks the clouds for many launchers, until a signal comes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/process/descriptor_limit.hpp"
#include "command/process/large_buffers.hpp"
#include "command/process/service_manager.hpp"
#include "command/run/command_session.hpp"
#include "command/run/service_settings.hpp"
#include "command/show/settings_text.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "command/terminal/reader_write.hpp"
#include "command/terminal/signals.hpp"
#include "json/json_text.hpp"
#include "rollcall/fleet_service.hpp"

namespace rollcall::command {
namespace {

// A JSON object per line, as --log json prints other events.
class RequestLines final : public RequestLog {
 public:
  explicit RequestLines(SteadyTime started) : started_(started) {}

  void on_request(const ServedRequest& request) noexcept override {
    using std::chrono::duration_cast;
    const auto at = duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started_);
    std::string line =
        fmt::format("{{\"event\":\"{}\",\"at_us\":{},\"status\":{},\"ms\":{},\"bytes\":{}", to_string(request.kind), at.count(),
                    request.status, duration_cast<std::chrono::milliseconds>(request.took).count(), request.bytes);
    const auto text = [&line](std::string_view name, std::string_view value) {
      if (!value.empty()) append_json_field(line, name, value);
    };
    text("request", request.request);
    text("target", request.target);
    text("identity", request.identity);
    text("peer", request.peer);
    text("trace_id", request.trace_id);
    text("reason", request.reason);
    report_json(line + "}");
  }

 private:
  SteadyTime started_;
};

asio::awaitable<Result<bool>> drain_service(std::shared_ptr<FleetService> service, Duration patience) {
  co_await service->drain(patience);
  co_return true;
}

// `--project` and the like are defaults for a session's targets; targets of a service are complete.
Result<void> check_service_options(const Arguments& arguments) {
  const bool is_of_session = !arguments.project.empty() || !arguments.zone.empty() || arguments.api;
  if (!is_of_session) return Result<void>();
  return Failure(Errc::invalid_argument, "--project, --zone and --api go with --stdio: launchers name project and zone in their targets");
}

// All faults of the settings, a line each.
int refuse_settings(const Failure& failure) {
  const bool is_list = failure.what().find('\n') != std::string::npos;
  const std::string text = is_list ? failure.what() : failure.message();
  for (const std::string_view line : split(text, '\n')) complain(line);
  return exit_usage;
}

class RunningService {
 public:
  RunningService(const Arguments& arguments, CommandSession& session, ServiceSettings settings, FleetWatchers watchers)
      : arguments_(arguments), session_(session), settings_(std::move(settings)), watchers_(std::move(watchers)),
        manager_(session.executor(), *process_environment()), signals_(session.executor(), {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {}

  int run() {
    keep_large_buffers_apart();
    raise_descriptor_limit(std::max<std::size_t>(32'768, 2 * settings_.options.bounds.followers));
    const Result<std::shared_ptr<FleetService>> started = FleetService::start(session_.runtime(), settings_.options, watchers_);
    if (!started) return refuse(started.error(), started.error().code() == Errc::failed_precondition ? exit_failed : exit_usage);
    service_ = *started;
    if (!signals_.open()) {
      complain("serve: signals cannot be received: too many descriptors are open (ulimit -n)");
      return exit_failed;
    }
    // As `rollcall sim` does: as text for `eval "$(…)"`, or for people.
    const std::string urls = fmt::format("{}", fmt::join(service_->urls(), ","));
    std::string lines = fmt::format("export ROLLCALL_SERVER='{}'\n", urls);
    const std::vector<std::string> xds = service_->xds_addresses();
    if (!xds.empty()) lines += fmt::format("export ROLLCALL_XDS='{}'\n", fmt::join(xds, ","));
    if (!write_result(lines)) return exit_failed;
    stop_waiting_for_readers();  // log lines that no reader takes are dropped and counted: clients must not wait for them
    signals_.listen([this](ArrivedSignal signal) { take(signal); });
    manager_.notify_ready();
    while (!is_ending_) session_.loop().run_one();
    session_.wait();
    signals_.stop();
    manager_.stop();
    service_->stop();
    return exit_answered;
  }

 private:
  void take(ArrivedSignal signal) {
    // Without a settings file SIGHUP has nothing to reload, and ends the service as it ends any program whose terminal has gone.
    if (signal.number == SIGHUP && !arguments_.config_file.empty()) return reload();
    if (std::exchange(is_ending_, true)) {  // a second signal ends the service at once
      session_.interrupt();
      return;
    }
    manager_.notify_stopping();
    session_.ask(drain_service(service_, arguments_.drain), [](const Result<bool>&) {});
  }

  void reload() {
    if (is_ending_) return;
    manager_.notify_reloading();
    Result<ServiceSettings> read = read_service_settings(arguments_, *file_system());
    Result<void> taken = read ? check_not_cut(settings_, *read) : Result<void>(read.error());
    if (taken) taken = service_->reload(read->options);
    if (!taken) {
      refuse_settings(taken.error());
      complain(fmt::format("serve: the settings stay as they were: {} is not taken", quoted_path(arguments_.config_file)));
    } else {
      const std::string changed = changed_settings(settings_.options, read->options);
      complain(fmt::format("serve: {} is read again, {}", quoted_path(arguments_.config_file),
                           changed.empty() ? "nothing has changed" : "changed: " + changed));
      settings_ = std::move(*read);
    }
    manager_.notify_ready();
  }

  const Arguments& arguments_;
  CommandSession& session_;
  ServiceSettings settings_;
  FleetWatchers watchers_;
  ServiceManager manager_;
  SignalQueue signals_;
  std::shared_ptr<FleetService> service_;
  bool is_ending_ = false;
};

}  // namespace

int run_fleet_service(const Arguments& arguments) {
  if (const Result<void> sensible = check_service_options(arguments); !sensible) return refuse(sensible.error(), exit_usage);
  Result<ServiceSettings> settings = read_service_settings(arguments, *file_system());
  if (!settings) return refuse_settings(settings.error());
  if (arguments.is_check) {
    for (const std::string& question : question_fleet_options(settings->options, *process_environment(), *file_system()))
      complain("warning: " + question);
    return write_result(settings_text(settings->options)) ? exit_answered : exit_failed;
  }
  CommandSession session(arguments, 0);
  session.hide_progress();
  session.leave_signals();
  session.ask_directly();
  session.count();
  if (!session.open()) return exit_usage;
  FleetWatchers watchers;
  watchers.metrics = session.metrics();
  if (arguments.log == LogForm::json) watchers.requests = std::make_shared<RequestLines>(session.started());
  return RunningService(arguments, session, std::move(*settings), std::move(watchers)).run();
}

}  // namespace rollcall::command
