// Credentials made by a program, as a kubeconfig configures it: an exec plugin.
#pragma once

#include <memory>
#include <string>

#include "auth/refreshed_credentials.hpp"
#include "resolvers/kubernetes/access/wire/exec_credential.hpp"
#include "resolvers/kubernetes/access/wire/kubeconfig.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {

/// The program to run, and its input.
class ExecPlan {
 public:
  ExecPlan() {}
  KubeExec exec;
  std::string user;  ///< the user in messages: "the user 'u' (~/.kube/config, line 7)"
  ExecCluster cluster;
  friend bool operator==(const ExecPlan&, const ExecPlan&) = default;
};

/// Errors: invalid_argument (no command, a missing or unsupported version, an unknown interactive mode), naming the user.
Result<void> check_exec_plan(const ExecPlan& plan);

/// Runs the program by the Runtime's ProgramRunner when there is no credential, when it is about to expire, and after the server refused
/// it. A client certificate that the program makes comes with the token: see AccessToken::access.
///
/// Errors of token(): refused_by_policy (ROLLCALL_EXEC_PLUGINS is never), failed_precondition (the plugin must ask the user, and there is
/// no terminal), unauthenticated (it cannot be run, or failed: with the end of its error output), malformed_response, limit_exceeded (its
/// output), response_timeout, cancelled.
class ExecPlugin final : public RefreshedCredentials {
 public:
  /// `access`: the server's, without the plugin's credentials; may be null.
  ExecPlugin(ExecPlan plan, std::shared_ptr<const ServerAccess> access) : plan_(std::move(plan)), access_(std::move(access)) {}

  const ExecPlan& plan() const noexcept { return plan_; }
  const std::shared_ptr<const ServerAccess>& access() const noexcept { return access_; }
  std::string describe() const override;

 private:
  asio::awaitable<Result<AccessToken>> fetch(Call& call) override;
  Result<ProgramRequest> request_for(Call& call) const;
  Result<AccessToken> read(const ProgramOutput& output) const;

  ExecPlan plan_;
  std::shared_ptr<const ServerAccess> access_;
};

}  // namespace rollcall
