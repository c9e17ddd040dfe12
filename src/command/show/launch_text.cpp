#include "command/show/launch_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "rollcall/auto_resolver.hpp"
#include "rollcall/target.hpp"

namespace rollcall::command {
namespace {

// The rule, as docs/launch.md words it.
std::string order_by_key(std::string_view scheme, const std::optional<std::string>& order) {
  if (scheme == "kubernetes")
    return order == "name" ? "by the names of pods" : "by the indices that controllers give pods, else by their names";
  if (scheme == "gce") {
    if (order == "name") return "by the names of instances";
    return order == "topology" ? "by cluster, block, sub-block and host of the instances" : "by the addresses, as text";
  }
  if (scheme == "slurm") return order == "rank" ? "by Slurm's ranks" : "by the names of hosts, as text";
  return "as the target lists them";
}

std::string order_of(const ClusterPart& part) {
  const Result<Target> target = Target::parse(part.target);
  if (!target) return "as the target lists them";
  const auto* const here = dynamic_cast<const AutoResolver*>(part.resolver.get());
  const std::optional<AutoChoice> choice = here ? here->choice() : std::nullopt;
  if (choice && choice->place == Launcher::tpu_vm) return "as worker-network-endpoints lists the workers";
  if (choice && choice->place == Launcher::tpu_pod) return "as TPU_WORKER_HOSTNAMES or TPU_PROCESS_ADDRESSES lists the workers";
  if (here) return "as the launcher numbers them";
  if (target->scheme == "tpu") return "as networkEndpoints lists the workers";
  return order_by_key(target->scheme, target->get("order"));
}

}  // namespace

void tell_order(const std::vector<ClusterPart>& parts) {
  for (const ClusterPart& part : parts) complain(fmt::format("{}: tasks are numbered {}", target_text(part.target), order_of(part)));
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
  if (form.is_binary) return write_bytes(*text) ? exit_answered : exit_failed;
  return write_result(*text) ? exit_answered : exit_failed;
}

}  // namespace rollcall::command
