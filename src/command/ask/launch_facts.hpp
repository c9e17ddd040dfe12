// What has to be known of a cluster to start something in it, as far as a form of launch contracts asks for it.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <vector>

#include "command/arguments/targets.hpp"
#include "command/ask/question_options.hpp"
#include "rollcall/launch.hpp"

namespace rollcall::command {

/// `facts` as the options have it, with `spec` and with what else the `forms` use: this host's task, the RPC layer, how many accelerators
/// a host has, of which type. What nobody knows stays empty, and the form that needs it says so. `parts`: the targets; `together`: all of
/// them as one. May suspend; cancellable. Errors: those of the parts.
asio::awaitable<Result<LaunchFacts>> ask_launch_facts(LaunchFacts facts, ClusterSpec spec, std::vector<LaunchFormat> forms,
                                                      std::vector<ClusterPart> parts, std::shared_ptr<ClusterResolver> together,
                                                      QuestionOptions options);

/// The cluster of all parts, and then what the form uses of it. May suspend; cancellable. Errors: those of the parts.
asio::awaitable<Result<LaunchFacts>> ask_cluster_and_facts(LaunchFacts facts, LaunchFormat format, std::vector<ClusterPart> parts,
                                                           std::shared_ptr<ClusterResolver> together, QuestionOptions options);

/// Of each host, as far as a target tells without asking runtimes that may not have been started yet; none: nobody knows. May suspend;
/// cancellable. Errors: those of the parts; failed_precondition (hosts have different numbers).
asio::awaitable<Result<std::optional<int>>> ask_accelerators_per_host(std::vector<ClusterPart> parts, QuestionOptions options);

}  // namespace rollcall::command
