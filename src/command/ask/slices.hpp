// The TPU type of a cluster, and which of its tasks share a slice.
#pragma once

#include <asio/awaitable.hpp>
#include <string>
#include <vector>

#include "command/arguments/targets.hpp"
#include "command/ask/question_options.hpp"
#include "rollcall/launch.hpp"

namespace rollcall::command {

/// Checks that the forms do not take one slice for all: forms that number or list the processes of a job need all slices. `pjrt` and
/// `torch-xla` describe a slice by design, and plain lists what is known. The targets must have been asked. Errors: failed_precondition (a
/// target is one slice of several, and does not know the others).
Result<void> check_slices(const std::vector<ClusterPart>& parts, const std::vector<LaunchFormat>& forms);
/// The same for what is neither, and is called `what` in the message.
Result<void> check_slices(const std::vector<ClusterPart>& parts, std::string_view what);

/// `facts` with accelerator_type, if the options did not set it, and with slices, as far as the targets know: TPUs and queued resources by
/// the TPU API, `auto:` by its environment, pods by LaunchFacts::members and `type`, ClusterStatus::accelerator_type. May suspend;
/// cancellable. Errors: those of the parts; failed_precondition (slices of several types); conflict, not_found and others (a type that
/// `forms` need and that is not understood).
asio::awaitable<Result<LaunchFacts>> ask_slices(LaunchFacts facts, std::vector<LaunchFormat> forms, std::vector<ClusterPart> parts,
                                                std::string type, QuestionOptions options);

}  // namespace rollcall::command
