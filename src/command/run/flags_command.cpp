// `rollcall flags`: the cluster as flags of a launcher.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command/arguments/command_table.hpp"
#include "command/ask/launch_facts.hpp"
#include "command/process/replaced_file.hpp"
#include "command/run/one_question.hpp"
#include "command/show/launch_text.hpp"
#include "rollcall/coordinator_probe.hpp"

namespace rollcall::command {
namespace {

class FlagsAnswer {
 public:
  FlagsAnswer() {}
  std::string line;
  std::string hosts;  ///< for the hostfile
};

asio::awaitable<Result<FlagsAnswer>> ask_flags(const Arguments& arguments, std::vector<ClusterPart> parts,
                                               std::shared_ptr<ClusterResolver> together, CallOptions options) {
  const Runtime runtime = together->runtime();
  const QuestionOptions shared(std::move(options));
  // All three launchers need the same facts as torchrun.
  const Result<LaunchFacts> facts =
      co_await ask_cluster_and_facts(arguments.launch, LaunchFormat::torchrun, std::move(parts), together, shared);
  if (!facts) co_return facts.error();
  if (!arguments.is_quiet) report_unknown_accelerators(*facts, LaunchFormat::torchrun);
  FlagsAnswer answer;
  Result<std::string> line = render_flags(*arguments.flags_for, *facts);
  if (!line) co_return line.error();
  answer.line = std::move(*line);
  if (!facts->hostfile.empty()) {
    Result<std::string> hosts = render_hosts(HostsForm::deepspeed, *facts);
    if (!hosts) co_return hosts.error();
    answer.hosts = std::move(*hosts);
  }
  if (!arguments.probes_coordinator) co_return answer;
  const Result<LaunchCoordinator> coordinator = launch_coordinator(*arguments.flags_for, *facts);
  if (!coordinator) co_return coordinator.error();
  const Result<void> probed = co_await try_probe_coordinator(runtime, *coordinator, shared.next());
  if (!probed) co_return probed.error();
  co_return answer;
}

// The file must exist before the flags that name it are printed.
int print_flags(const FlagsAnswer& answer, const Arguments& arguments) {
  const std::string& hostfile = arguments.launch.hostfile;
  if (!hostfile.empty() && !replace_named_file("--hostfile", hostfile, answer.hosts)) return exit_failed;
  return write_result(answer.line) ? exit_answered : exit_failed;
}

Result<void> check_flags_options(const Arguments& arguments) {
  const std::string& hostfile = arguments.launch.hostfile;
  if (!arguments.flags_for) {
    return Failure(Errc::invalid_argument, "--for is missing: the launcher that takes the flags")
        .with_hint(fmt::format("accepted are {}", fmt::join(flags_for_names, ", ")));
  }
  if (arguments.flags_for != FlagsFor::deepspeed) {
    if (hostfile.empty()) return Result<void>();
    return Failure(Errc::invalid_argument, fmt::format("{} takes no --hostfile, only deepspeed does", to_string(*arguments.flags_for)));
  }
  if (hostfile.empty()) return Failure(Errc::invalid_argument, "deepspeed needs --hostfile FILE: without one it starts on this host alone");
  return check_replaceable("--hostfile", hostfile);
}

}  // namespace

int run_flags(Arguments arguments) {
  const Result<void> sensible = check_flags_options(arguments);
  if (!sensible) return refuse(sensible.error(), exit_usage);
  return answer_together(arguments, ask_flags, print_flags);
}

}  // namespace rollcall::command
