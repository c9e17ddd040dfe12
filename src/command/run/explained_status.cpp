#include "command/run/explained_status.hpp"

#include <fmt/format.h>

namespace rollcall::command {
namespace {

asio::awaitable<Result<ExplainedStatus>> ask_explained(const Arguments&, std::vector<ClusterPart>,
                                                       std::shared_ptr<ClusterResolver> together, CallOptions options) {
  return together->try_explained_status(std::move(options));
}

}  // namespace

std::string subject_of(const Arguments& arguments) {
  if (arguments.positionals.size() == 1 && arguments.target_files.empty()) return arguments.positionals.front();
  return "all targets";
}

int answer_explained(std::string_view command, const Arguments& arguments,
                     int (*print)(const ExplainedStatus& answer, const Arguments& arguments)) {
  if (includes(arguments.until, Readiness::reachable) || includes(arguments.until, Readiness::devices)) {
    return refuse(Failure(Errc::invalid_argument,
                          fmt::format("--until: {} does not ask the members themselves; accepted are state, health, endpoints", command))
                      .with_hint("rollcall wait asks them: --until reachable --timeout 10s"),
                  exit_usage);
  }
  return answer_together<ExplainedStatus>(arguments, ask_explained, print);
}

}  // namespace rollcall::command
