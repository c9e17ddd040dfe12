#include "command/run/cluster_preflight.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "command/arguments/targets.hpp"
#include "command/ask/own_meeting.hpp"
#include "command/ask/own_preflight.hpp"
#include "command/process/replaced_file.hpp"
#include "command/run/command_session.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "render/render_preflight.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/preflight.hpp"

namespace rollcall::command {
namespace {

constexpr std::size_t max_evidence_bytes = std::size_t{64} << 20;

int print_verdict(const Arguments& arguments, std::string_view subject, const PreflightVerdict& verdict) {
  const bool is_json = arguments.format == Format::json;
  if (!write_result(is_json ? render_preflight_json(verdict) : render_preflight_text(subject, verdict))) return exit_failed;
  return verdict.passed ? exit_answered : exit_preflight_failed;
}

class PreflightQuestion {
 public:
  PreflightQuestion(const Arguments& given, CommandSession& of, std::vector<ClusterPart> all)
      : arguments(given), session(of), parts(std::move(all)) {}
  const Arguments& arguments;
  CommandSession& session;
  std::vector<ClusterPart> parts;
  std::optional<PreflightEvidence> evidence;

  asio::awaitable<Result<PreflightVerdict>> ask() {
    const QuestionOptions shared(session.call_options());
    const std::shared_ptr<ClusterResolver> together = put_together(session.runtime(), parts);
    const Result<OwnMeeting> meeting = co_await ask_own_meeting(parts, together, arguments.launch, "a preflight", shared);
    if (!meeting) co_return meeting.error();
    PreflightOptions options;
    options.run(meeting->run).secret_file(arguments.secret_file).timeout(arguments.timeout).port(arguments.preflight_port.value_or(0));
    options.on_evidence([this](const PreflightEvidence& judged) { evidence = judged; });
    co_return co_await preflight_here(arguments, session, meeting->spec, meeting->task, std::move(options), shared);
  }
};

void save_evidence(const Arguments& arguments, const PreflightQuestion& question, const PreflightVerdict& verdict) {
  if (arguments.saved_evidence.empty()) return;
  if (question.evidence) {
    replace_named_file("--save", arguments.saved_evidence, question.evidence->to_json() + "\n");
    return;
  }
  complain(fmt::format("--save: this member has not judged, and wrote nothing: the evidence is where {} runs",
                       verdict.judged_by.empty() ? "the first member" : verdict.judged_by));
}

void show_progress(const Arguments& arguments, PreflightOptions& options) {
  if (arguments.is_quiet || arguments.progress == ProgressForm::none) return;
  const bool is_json = arguments.progress == ProgressForm::json || (!arguments.progress && arguments.log == LogForm::json);
  if (!is_json) {
    options.on_progress([](std::string_view line) { complain(fmt::format("preflight: {}", line)); });
    return;
  }
  report_progress(options, [](std::string json) { report_json(json); });
}

}  // namespace

asio::awaitable<Result<PreflightVerdict>> preflight_here(const Arguments& arguments, CommandSession& session, ClusterSpec spec,
                                                         LaunchedTask own, PreflightOptions options, const QuestionOptions& shared) {
  const Result<CheckHostOptions> checks = host_checks_of(arguments);
  if (!checks) co_return checks.error();
  show_progress(arguments, options);
  co_return co_await check_and_meet(session.runtime(), *checks, std::move(spec), std::move(own), std::move(options), shared);
}

int run_cluster_preflight(const Arguments& arguments) {
  if (!arguments.saved_evidence.empty()) {
    const Result<void> fine = check_replaceable("--save", arguments.saved_evidence);
    if (!fine) return refuse(fine.error(), exit_usage);
  }
  const Result<std::vector<ListedTarget>> targets = collect_targets(arguments);
  if (!targets) return refuse(targets.error(), exit_usage);
  CommandSession session(arguments, 1);
  session.hide_progress();
  if (!session.open()) return exit_usage;
  Result<std::vector<ClusterPart>> parts = make_parts(session.runtime(), *targets, arguments);
  if (!parts) return refuse(parts.error());
  PreflightQuestion question(arguments, session, std::move(*parts));
  std::optional<Result<PreflightVerdict>> verdict;
  session.ask(question.ask(), [&verdict](Result<PreflightVerdict> answer) { verdict.emplace(std::move(answer)); });
  if (!session.wait()) return exit_interrupted;
  if (!*verdict) return session.exit_code(refuse(verdict->error()));
  save_evidence(arguments, question, **verdict);
  return session.exit_code(print_verdict(arguments, fmt::format("preflight {}", arguments.positionals.front()), **verdict));
}

int judge_saved_evidence(const Arguments& arguments) {
  const Result<std::string> text = file_system()->read(arguments.judged_evidence, max_evidence_bytes);
  if (!text) return refuse(text.error());
  const Result<PreflightEvidence> evidence = PreflightEvidence::from_json(*text);
  if (!evidence)
    return refuse(
        Failure(evidence.error()).with_target(arguments.judged_evidence).with_hint("name a file that --save has written, as it is"));
  return print_verdict(arguments, fmt::format("preflight {}", evidence->run), judge_preflight(*evidence));
}

}  // namespace rollcall::command
