#include "command/show/launch_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"

namespace rollcall::tools {

int print_launch(LaunchFormat format, const LaunchFacts& facts) {
  const LaunchFormatFacts& form = facts_of(format);
  if (form.is_binary && ::isatty(STDOUT_FILENO) != 0) {
    return refuse(Failure(Errc::invalid_argument, fmt::format("{} is no text for a terminal", to_string(format)))
                      .with_hint("redirect it to a file, or print cluster-def-text"),
                  exit_usage);
  }
  const Result<std::string> text = render_launch(format, facts);
  if (!text) return refuse(text.error());
  if (form.uses_task && !facts.task) complain("which task this host is is not known, and so not told: --task says it");
  if (form.is_binary) return write_bytes(*text) ? exit_answered : exit_failed;
  return write_result(*text) ? exit_answered : exit_failed;
}

}  // namespace rollcall::tools
