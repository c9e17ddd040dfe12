// The facts about a cluster that a form of launch contracts needs to start a program.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command/arguments/targets.hpp"
#include "command/ask/question_options.hpp"
#include "rollcall/launch.hpp"

namespace rollcall::command {

/// `facts` from the options, completed with `spec`, with the `status` if the caller has one, and with the facts that the `forms` use: this
/// host's task, the RPC layer, the accelerators of the members and their type. A fact that cannot be found stays empty, and a form that
/// needs it reports that. `parts`: the targets; `together`: all of them as one cluster. May suspend; cancellable. Errors: those of the
/// parts.
asio::awaitable<Result<LaunchFacts>> ask_launch_facts(LaunchFacts facts, ClusterSpec spec, std::optional<ClusterStatus> status,
                                                      std::vector<LaunchFormat> forms, std::vector<ClusterPart> parts,
                                                      std::shared_ptr<ClusterResolver> together, QuestionOptions options);

/// Asks for the cluster of all parts, and then for the facts that the form uses. May suspend; cancellable. Errors: those of the parts.
asio::awaitable<Result<LaunchFacts>> ask_cluster_and_facts(LaunchFacts facts, LaunchFormat format, std::vector<ClusterPart> parts,
                                                           std::shared_ptr<ClusterResolver> together, QuestionOptions options);

/// What to do where two tasks of these targets have one address; empty: not known.
std::string same_address_hint(const std::vector<ClusterPart>& parts);

/// The launcher's name of this run, Slurm's of the step, which all of its tasks know; empty: the targets have none.
std::string run_of(const std::vector<ClusterPart>& parts);

}  // namespace rollcall::command
