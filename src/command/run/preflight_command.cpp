// `rollcall preflight`: whether this host, or all of a cluster, can run a program.
#include <chrono>
#include <optional>

#include "command/arguments/command_table.hpp"
#include "command/ask/own_preflight.hpp"
#include "command/run/cluster_preflight.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "render/render_host_report.hpp"
#include "rollcall/check_host.hpp"

namespace rollcall::command {

int run_preflight(Arguments arguments) {
  const Result<CheckHostOptions> checks = host_checks_of(arguments);
  if (!checks) return refuse(checks.error(), exit_usage);
  if (arguments.has_default_target) arguments.positionals.clear();  // without a target this host alone is meant
  if (!arguments.judged_evidence.empty()) {
    if (!arguments.positionals.empty()) return refuse(Failure(Errc::invalid_argument, "--judge takes no target"), exit_usage);
    return judge_saved_evidence(arguments);
  }
  if (!arguments.positionals.empty()) return run_cluster_preflight(arguments);
  if (!arguments.saved_evidence.empty() || arguments.launch.task || !arguments.launch.job_id.empty() || arguments.preflight_port ||
      !arguments.secret_file.empty())
    return refuse(Failure(Errc::invalid_argument, "--save, --task, --job-id, --preflight-port and --secret-file need a target"),
                  exit_usage);
  CommandSession asking(arguments, 1);
  asking.ask_directly();
  if (!asking.open()) return exit_usage;
  std::optional<Result<HostReport>> report;
  asking.ask(try_check_host(asking.runtime(), *checks, asking.call_options()),
             [&report](Result<HostReport> answer) { report.emplace(std::move(answer)); });
  if (!asking.wait()) return exit_interrupted;
  if (!*report) return asking.exit_code(refuse(report->error()));
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - asking.started());
  const bool is_json = arguments.format == Format::json;
  if (!write_result(is_json ? render_host_preflight_json(**report, took) : render_host_preflight_text(**report, took))) return exit_failed;
  return asking.exit_code((*report)->verdict().passed ? exit_answered : exit_preflight_failed);
}

}  // namespace rollcall::command
