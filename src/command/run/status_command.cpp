// `rollcall status`: a cluster's current status, by one poll.
#include <fmt/format.h>

#include "command/arguments/command_table.hpp"
#include "command/run/explained_status.hpp"
#include "command/show/status_text.hpp"
#include "render/render_status.hpp"
#include "rollcall/cluster_verdict.hpp"

namespace rollcall::command {
namespace {

int print_status(const ExplainedStatus& explained, const Arguments& arguments) {
  const ClusterStatus& status = explained.status;
  const ClusterVerdict verdict = judge_cluster(status, arguments.until, arguments.members, subject_of(arguments));
  const bool is_json = arguments.format == Format::json;
  const std::string text = is_json ? render_status_json(status) + "\n" : status_text(subject_of(arguments), verdict);
  if (!write_result(text)) return exit_failed;
  if (verdict.is_ready && status.members.empty() && !arguments.is_quiet) complain(empty_cluster_text(arguments));
  if (verdict.lost) complain(verdict.lost->message());
  return verdict.is_ready ? exit_answered : exit_not_ready;
}

}  // namespace

int run_status(Arguments arguments) { return answer_explained("status", arguments, print_status); }

}  // namespace rollcall::command
