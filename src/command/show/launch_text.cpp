#include "command/show/launch_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "rollcall/target.hpp"
#include "rollcall/target_scheme.hpp"

namespace rollcall::command {
namespace {

// The rule, as docs/launch.md words it.
std::string_view order_of(const ClusterPart& part) {
  const Result<Target> target = Target::parse(part.target);
  const TargetScheme* const scheme = target ? find_scheme(target->scheme) : nullptr;
  return scheme && scheme->task_order ? scheme->task_order(*target, *part.resolver) : "as the target lists them";
}

}  // namespace

void print_task_order(const std::vector<ClusterPart>& parts) {
  for (const ClusterPart& part : parts) complain(fmt::format("{}: tasks are numbered {}", target_text(part.target), order_of(part)));
}

bool report_unknown_accelerators(const LaunchFacts& facts, std::optional<LaunchFormat> format) {
  const std::string unknown = unknown_accelerators(facts, format);
  if (unknown.empty()) return false;
  complain(unknown + ": give the number of a host by --slots N");
  return true;
}

int print_launch(LaunchFormat format, const LaunchFacts& facts, bool is_quiet) {
  const LaunchFormatFacts& form = facts_of(format);
  if (form.is_binary && ::isatty(STDOUT_FILENO) != 0) {
    return refuse(Failure(Errc::invalid_argument, fmt::format("{} is no text for a terminal", to_string(format)))
                      .with_hint("redirect it to a file, or print cluster-def-text"),
                  exit_usage);
  }
  const Result<std::string> text = render_launch(format, facts);
  if (!text) return refuse(text.error());
  if (form.uses_task && !facts.task && !is_quiet)
    complain("it is not known which task of the cluster this host is, so the output does not name one: name it by --task JOB:INDEX");
  if (!is_quiet) report_unknown_accelerators(facts, format);
  if (form.is_binary) return write_bytes(*text) ? exit_answered : exit_failed;
  return write_result(*text) ? exit_answered : exit_failed;
}

}  // namespace rollcall::command
