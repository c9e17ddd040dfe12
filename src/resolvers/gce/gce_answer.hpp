// What becomes of answers of Compute Engine that are not whole.
#pragma once

#include <string>
#include <string_view>

#include "resolvers/gce/gce_plan.hpp"
#include "resolvers/gce/wire/list_warning.hpp"

namespace rollcall {

/// Says whom an answer that cannot be used is about, and who gave it.
Failure gce_failure(std::string_view who, Failure failure, const std::string& asked);

/// A list that calls itself incomplete: an error (unavailable), or, where the user takes partial answers, a log event.
Result<void> judge_warning(Call& call, const GcePlan& plan, const GceOptions& options, const ListWarning& warning,
                           const std::string& asked);

/// A member that is not there any more: an event in the log.
void report_missing(Call& call, const GcePlan& plan, const Failure& failure);

}  // namespace rollcall
