// The TPU type of a cluster, and which of its tasks share a slice.
#pragma once

#include <asio/awaitable.hpp>
#include <string>
#include <vector>

#include "command/arguments/targets.hpp"
#include "command/ask/question_options.hpp"
#include "rollcall/launch.hpp"

namespace rollcall::command {

/// `facts` with accelerator_type, if the options did not set it, and with slices, as far as the targets know: TPUs and queued resources by
/// the TPU API, `auto:` by its environment, pods by LaunchFacts::members and `type`, ClusterStatus::accelerator_type. May suspend;
/// cancellable. Errors: those of the parts; failed_precondition (slices of several types; an environment that is one slice of several,
/// where `forms` need all of them).
asio::awaitable<Result<LaunchFacts>> ask_slices(LaunchFacts facts, std::vector<LaunchFormat> forms, std::vector<ClusterPart> parts,
                                                std::string type, QuestionOptions options);

}  // namespace rollcall::command
