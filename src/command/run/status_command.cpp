// `rollcall status`: a cluster's current status, by one poll.
#include <fmt/format.h>

#include "command/arguments/command_table.hpp"
#include "command/run/one_question.hpp"
#include "command/show/status_text.hpp"
#include "render/render_status.hpp"
#include "rollcall/cluster_verdict.hpp"

namespace rollcall::command {
namespace {

asio::awaitable<Result<ClusterStatus>> ask_status(const Arguments&, std::vector<ClusterPart>, std::shared_ptr<ClusterResolver> together,
                                                  CallOptions options) {
  return together->try_cluster_status(std::move(options));
}

std::string subject_of(const Arguments& arguments) {
  if (arguments.positionals.size() == 1 && arguments.target_files.empty()) return arguments.positionals.front();
  return "all targets";
}

int print_status(const ClusterStatus& status, const Arguments& arguments) {
  const ClusterVerdict verdict = judge_cluster(status, arguments.until, arguments.members, subject_of(arguments));
  const bool is_json = arguments.format == Format::json;
  const std::string text = is_json ? render_status_json(status) + "\n" : status_text(subject_of(arguments), verdict);
  if (!write_result(text)) return exit_failed;
  if (verdict.is_ready && status.members.empty() && !arguments.is_quiet) complain(empty_cluster_text(arguments));
  if (verdict.lost) complain(verdict.lost->message());
  return verdict.is_ready ? exit_answered : exit_not_ready;
}

}  // namespace

int run_status(Arguments arguments) {
  if (includes(arguments.until, Readiness::reachable) || includes(arguments.until, Readiness::devices)) {
    return refuse(
        Failure(Errc::invalid_argument, "--until: status does not ask the members themselves; accepted are state, health, endpoints")
            .with_hint("rollcall wait asks them: --until reachable --timeout 10s"),
        exit_usage);
  }
  return answer_together(arguments, ask_status, print_status);
}

}  // namespace rollcall::command
