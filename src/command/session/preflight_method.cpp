// `preflight`: whether this host, or all of a cluster, can run a program.
#include <chrono>
#include <memory>
#include <utility>

#include "command/ask/own_meeting.hpp"
#include "command/ask/own_preflight.hpp"
#include "command/session/methods.hpp"
#include "render/render_host_report.hpp"
#include "render/render_preflight.hpp"

namespace rollcall::serve {
namespace {

Answer check_here(Runtime runtime, CheckHostOptions checks, CallOptions options) {
  const auto begun = std::chrono::steady_clock::now();
  const Result<HostReport> report = co_await try_check_host(std::move(runtime), std::move(checks), std::move(options));
  if (!report) co_return report.error();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
  co_return without_end(render_host_preflight_json(*report, took));
}

Answer check_all(Asking asking, std::vector<command::ClusterPart> parts, std::shared_ptr<ClusterResolver> together, LaunchFacts given,
                 CheckHostOptions checks, PreflightOptions preflight, CallOptions options) {
  const command::QuestionOptions shared(std::move(options));
  const Result<command::OwnMeeting> own =
      co_await command::ask_own_meeting(std::move(parts), std::move(together), std::move(given), "a preflight", shared);
  if (!own) co_return own.error();
  preflight.run(own->run);
  const Result<PreflightVerdict> verdict =
      co_await command::check_and_meet(asking.runtime(), std::move(checks), own->spec, own->task, std::move(preflight), shared);
  if (!verdict) co_return verdict.error();
  const Result<void> turn = co_await asking.turn();
  if (!turn) co_return turn.error();
  co_return without_end(render_preflight_json(*verdict));
}

Result<void> check_is_alone(const Question& question) {
  for (const auto& [name, is_given] : {std::pair("task", question.launch.task.has_value()),
                                       {"job_id", !question.launch.job_id.empty()},
                                       {"port", question.meeting_port != 0},
                                       {"secret_file", !question.secret_file.empty()}}) {
    if (is_given) return about_param(name, Failure(Errc::invalid_argument, "is of a cluster, and needs targets"));
  }
  return {};
}

}  // namespace

Result<Answer> begin_preflight(Asking asking, Question& question) {
  if (const auto sources = VerdictSource::parse_all(question.verdict_from); !sources) return about_param("verdict_from", sources.error());
  command::Arguments arguments = asking.arguments();
  arguments.verdict_from = question.verdict_from;
  arguments.checks = question.checks;
  arguments.timeout = question.timeout;
  Result<CheckHostOptions> checks = command::host_checks_of(arguments);
  if (!checks) return about_param("checks", checks.error());
  if (question.targets.empty()) {
    const Result<void> alone = check_is_alone(question);
    if (!alone) return alone.error();
    return check_here(asking.runtime(), std::move(*checks), asking.call_options(question));
  }
  Result<std::vector<command::ClusterPart>> parts = command::make_parts(asking.runtime(), Asking::listed(question), asking.arguments());
  if (!parts) return parts.error();
  std::shared_ptr<ClusterResolver> together = command::put_together(asking.runtime(), *parts);
  PreflightOptions preflight;
  preflight.timeout(question.timeout).port(question.meeting_port).secret_file(question.secret_file);
  command::report_progress(
      preflight, [asking, is_sent = question.wants_progress](std::string json) mutable { asking.progress(std::move(json), is_sent); });
  return check_all(asking, std::move(*parts), std::move(together), std::move(question.launch), std::move(*checks), std::move(preflight),
                   asking.call_options(question));
}

}  // namespace rollcall::serve
