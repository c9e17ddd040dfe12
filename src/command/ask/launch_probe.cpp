#include "command/ask/launch_probe.hpp"

#include <algorithm>

#include "rollcall/coordinator_probe.hpp"

namespace rollcall::command {
namespace {

bool names_coordinator(LaunchFormat form) { return facts_of(form).coordinator_port != 0; }

}  // namespace

Result<void> check_probe(const Arguments& arguments) {
  std::vector<LaunchFormat> forms = arguments.launch_as;
  if (arguments.launch_format) forms.push_back(*arguments.launch_format);
  if (!arguments.probes_coordinator || std::any_of(forms.begin(), forms.end(), names_coordinator)) return Result<void>();
  return Failure(Errc::invalid_argument, "--probe tries the coordinator of a launch, and no form is asked for that names one")
      .with_hint("ask for one, such as torchrun (--format, or --as of rollcall exec), or leave --probe out");
}

asio::awaitable<Result<LaunchFacts>> with_probe(bool is_wanted, asio::awaitable<Result<LaunchFacts>> question, Runtime runtime,
                                                std::vector<LaunchFormat> forms, QuestionOptions options) {
  Result<LaunchFacts> facts = co_await std::move(question);
  if (!facts || !is_wanted) co_return facts;
  std::vector<Endpoint> tried;
  for (const LaunchFormat form : forms) {
    if (!names_coordinator(form)) continue;
    const Result<LaunchCoordinator> coordinator = launch_coordinator(form, *facts);
    if (!coordinator) co_return coordinator.error();
    if (std::find(tried.begin(), tried.end(), coordinator->endpoint) != tried.end()) continue;
    tried.push_back(coordinator->endpoint);
    const Result<void> probed = co_await try_probe_coordinator(runtime, *coordinator, options.next());
    if (!probed) co_return probed.error();
  }
  co_return facts;
}

}  // namespace rollcall::command
