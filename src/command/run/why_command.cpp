// `rollcall why`: why the members of a cluster are not ready, from the outermost layer on.
#include "command/arguments/command_table.hpp"
#include "command/run/explained_status.hpp"
#include "command/show/why_text.hpp"
#include "render/render_why.hpp"
#include "rollcall/cluster_verdict.hpp"

namespace rollcall::command {
namespace {

int print_why(const ExplainedStatus& explained, const Arguments& arguments) {
  const ClusterVerdict verdict = judge_cluster(explained.status, arguments.until, arguments.members, subject_of(arguments));
  const bool is_json = arguments.format == Format::json;
  const std::string text = is_json ? render_why_json(verdict, explained.unread) + "\n"
                                   : why_text(subject_of(arguments), verdict, explained.unread, std::chrono::system_clock::now());
  if (!write_result(text)) return exit_failed;
  if (verdict.is_ready && explained.status.members.empty() && !arguments.is_quiet) complain(empty_cluster_text(arguments));
  return verdict.is_ready ? exit_answered : exit_not_ready;
}

}  // namespace

int run_why(Arguments arguments) { return answer_explained("why", arguments, print_why); }

}  // namespace rollcall::command
