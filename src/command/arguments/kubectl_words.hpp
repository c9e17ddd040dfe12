// The command as kubectl's plug-in: `kubectl rollcall status job/trainer -n train`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall::command {

/// True if `program`, which may be a path, is called as kubectl calls its plug-in: `kubectl-rollcall`.
bool is_kubectl_plugin(std::string_view program) noexcept;

/// The words of `kubectl rollcall`, without the program's name, as those of `rollcall`. Where targets belong, `KIND/NAME` is that workload
/// of the namespace of -n or --namespace, else of the kubeconfig's own; --context and --kubeconfig become keys of these targets. A command
/// that has an option of that name itself gets it unchanged, and what is a target already stays as it is. Errors: invalid_argument: an
/// option without a value, or with nothing that it belongs to.
Result<std::vector<std::string>> kubectl_words(const std::vector<std::string>& words);

}  // namespace rollcall::command
