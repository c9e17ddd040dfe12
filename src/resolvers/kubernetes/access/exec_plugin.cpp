#include "resolvers/kubernetes/access/exec_plugin.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/path_text.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "programs/helpful_lines.hpp"
#include "rollcall/call.hpp"

namespace rollcall {
namespace {

constexpr const char* policy_variable = "ROLLCALL_EXEC_PLUGINS";
constexpr int shell_finds_none = 127;  // the exit status of a shell, or env, for a program that does not exist

Result<void> check_policy(const Environment& environment, const std::string& plugin) {
  const std::string policy = environment.get(policy_variable).value_or("");
  if (policy.empty() || policy == "always") return {};
  if (policy != "never")
    return Failure(Errc::invalid_argument, fmt::format("{} is {}, neither never nor always", policy_variable, quoted(policy, 40)));
  return Failure(Errc::refused_by_policy, fmt::format("{} was not run: {} is never", plugin, policy_variable))
      .with_hint("give a token of its own (token_file, credentials), or use a context whose user needs no program");
}

// Errors: failed_precondition.
Result<bool> asks_user(const ExecPlan& plan, bool has_terminal, const std::string& plugin) {
  if (plan.exec.interactive_mode == "Never") return false;
  if (plan.exec.interactive_mode != "Always" || has_terminal) return has_terminal;
  return Failure(Errc::failed_precondition,
                 fmt::format("{} must ask the user (interactiveMode: Always), and there is no terminal to ask at", plugin))
      .with_hint("run it where standard input is a terminal, or use a context whose user needs no answers");
}

}  // namespace

Result<void> check_exec_plan(const ExecPlan& plan) {
  const auto refuse = [&plan](std::string_view what) {
    return Failure(Errc::invalid_argument, fmt::format("the exec plugin of {} has {}", plan.user, what));
  };
  const KubeExec& exec = plan.exec;
  if (exec.command.empty()) return refuse("no command");
  if (exec.api_version.empty()) return refuse("no apiVersion");
  if (!is_exec_api_version(exec.api_version)) {
    return refuse(fmt::format("apiVersion {}", quoted(exec.api_version, 80)))
        .with_hint("it is client.authentication.k8s.io/v1 or /v1beta1: a newer plugin, or gcloud, aws or az, can rewrite the kubeconfig");
  }
  const std::string& mode = exec.interactive_mode;
  if (mode.empty() && exec.api_version.ends_with("/v1")) return refuse("no interactiveMode, which v1 requires");
  if (!mode.empty() && mode != "Never" && mode != "IfAvailable" && mode != "Always")
    return refuse(fmt::format("interactiveMode {}, which is none of Never, IfAvailable, Always", quoted(mode, 40)));
  return {};
}

std::string ExecPlugin::describe() const {
  return fmt::format("the exec plugin {} of {}", quoted_path(plan_.exec.command, 80), plan_.user);
}

Result<ProgramRequest> ExecPlugin::request_for(Call& call) const {
  const Runtime::Impl& impl = impl_of(call);
  const std::string plugin = describe();
  if (const Result<void> allowed = check_policy(*impl.environment, plugin); !allowed) return allowed.error();
  const Result<bool> is_interactive = asks_user(plan_, impl.has_terminal, plugin);
  if (!is_interactive) return is_interactive.error();
  ProgramRequest request({plan_.exec.command});
  request.words.insert(request.words.end(), plan_.exec.arguments.begin(), plan_.exec.arguments.end());
  request.variables = plan_.exec.variables;
  const ExecCluster* const cluster = plan_.exec.provides_cluster_info ? &plan_.cluster : nullptr;
  request.variables.emplace_back("KUBERNETES_EXEC_INFO", exec_info(plan_.exec.api_version, *is_interactive, cluster));
  request.is_interactive = *is_interactive;
  request.shows_errors = *is_interactive;
  // Shorter than the call's time, so that the error names the program and not the call. The margin covers a slow start on a busy machine.
  const Duration left = saturating_difference(call.deadline(), impl.time->now());
  request.timeout = left - std::min(left / 2, std::max<Duration>(left / 20, std::chrono::milliseconds(250)));
  return request;
}

Result<AccessToken> ExecPlugin::read(const ProgramOutput& output) const {
  if (output.exit_code != 0 || output.signal != 0) {
    std::string what = output.signal != 0 ? fmt::format("{} was ended by signal {}", describe(), output.signal)
                                          : fmt::format("{} failed with exit code {}", describe(), output.exit_code);
    const std::string words = helpful_lines(output.errors);
    if (!words.empty()) what += ": " + words;
    const bool is_missing = output.exit_code == shell_finds_none && !plan_.exec.install_hint.empty();
    return Failure(Errc::unauthenticated, std::move(what))
        .with_hint(is_missing ? helpful_lines(plan_.exec.install_hint)
                              : std::string("log in as the plugin wants it, or see what it says when it is run by itself"));
  }
  Result<ExecCredential> credential = parse_exec_credential(describe(), plan_.exec.api_version, output.output.reveal());
  if (!credential) {
    Failure failure = credential.error();
    const std::string words = helpful_lines(output.errors);
    if (!words.empty()) failure.with_what(fmt::format("{}; it said: {}", failure.what(), words));
    return failure;
  }
  AccessToken token(std::move(credential->token));
  token.expires_at = credential->expires_at;
  token.access = access_;
  if (!credential->certificate.empty()) {
    auto access = access_ ? std::make_shared<ServerAccess>(*access_) : std::make_shared<ServerAccess>();
    access->certificate = std::move(credential->certificate);
    access->key = std::move(credential->key);
    access->identity_from = "the client certificate of " + describe();
    token.access = std::move(access);
  }
  return token;
}

asio::awaitable<Result<AccessToken>> ExecPlugin::fetch(Call& call) {
  Result<ProgramRequest> request = request_for(call);
  if (!request) co_return request.error();
  std::string& trouble = state_of(call).last_trouble;  // for callers that do not wait until the plugin's own time is over
  trouble = describe() + " did not end within that time";
  request->on_errors = [this, &trouble](const std::string& errors) {
    const std::string words = helpful_lines(errors);
    if (!words.empty()) trouble = fmt::format("{} did not end within that time; it said: {}", describe(), words);
  };
  const Result<ProgramOutput> output = co_await impl_of(call).programs->run(std::move(*request));
  if (output) co_return read(*output);
  Failure failure = output.error();
  const bool is_missing = failure.code() == Errc::not_found;
  const bool is_unusable = is_missing || failure.code() == Errc::permission_denied;
  failure.with_what(fmt::format("{}: {}", describe(), failure.what()));
  if (is_unusable) failure.with_code(Errc::unauthenticated);
  if (is_missing) {
    failure.with_hint(plan_.exec.install_hint.empty() ? std::string("install it, or add its folder to PATH")
                                                      : helpful_lines(plan_.exec.install_hint));
  }
  co_return failure;
}

}  // namespace rollcall
