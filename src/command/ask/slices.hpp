// Of which type the TPUs of a cluster are, and which of its tasks share a slice.
#pragma once

#include <asio/awaitable.hpp>
#include <vector>

#include "command/arguments/targets.hpp"
#include "command/ask/question_options.hpp"
#include "rollcall/launch.hpp"

namespace rollcall::command {

/// `facts` with accelerator_type, where the options did not say it, and with slices, as far as the targets know: TPUs and queued resources
/// by the TPU API, `auto:` by its surroundings. May suspend; cancellable. Errors: those of the parts; failed_precondition (slices of
/// several types; surroundings that are one slice of several, where `forms` tell of all).
asio::awaitable<Result<LaunchFacts>> ask_slices(LaunchFacts facts, std::vector<LaunchFormat> forms, std::vector<ClusterPart> parts,
                                                QuestionOptions options);

}  // namespace rollcall::command
