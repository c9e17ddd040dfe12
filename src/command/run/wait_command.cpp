// `rollcall wait`.
#include <unistd.h>

#include "command/arguments/command_table.hpp"
#include "command/ask/launch_probe.hpp"
#include "command/run/followed_cluster.hpp"
#include "command/show/launch_text.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "render/render_cluster.hpp"

namespace rollcall::command {
namespace {

int print_cluster(const ClusterSpec& spec, Format format) {
  const std::string text = format == Format::json ? render_json(spec) : render_text(spec, wants_colour(STDOUT_FILENO));
  return write_result(text) ? exit_answered : exit_failed;
}

}  // namespace

int run_wait(Arguments arguments) {
  if (const Result<void> sensible = check_probe(arguments); !sensible) return refuse(sensible.error(), exit_usage);
  FollowedCluster cluster(arguments);
  if (const int code = cluster.open(); code != exit_answered) return code;
  std::vector<LaunchFormat> forms;
  if (arguments.launch_format) forms.push_back(*arguments.launch_format);
  const std::optional<Result<ReadyCluster>> ready = cluster.wait(forms);
  if (!ready) return exit_interrupted;
  if (!*ready) return refuse(ready->error());
  const ReadyCluster& found = **ready;
  if (!arguments.launch_format) return cluster.asking().exit_code(print_cluster(found.status.spec(), arguments.format));
  return cluster.asking().exit_code(print_launch(*arguments.launch_format, found.facts, arguments.is_quiet));
}

}  // namespace rollcall::command
