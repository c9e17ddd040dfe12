#include "resolvers/gce/gce_api.hpp"

#include <fmt/format.h>

#include "call/runtime_impl.hpp"

namespace rollcall {

Failure gce_failure(std::string_view who, Failure failure, const std::string& asked) {
  if (!failure.what().starts_with(who)) failure.with_what(fmt::format("{}: {}", who, failure.what()));
  failure.with_target(asked);
  return failure;
}

Result<void> judge_warning(Call& call, const GcePlan& plan, const GceOptions& options, const ListWarning& warning,
                           const std::string& asked) {
  if (!warning.is_serious()) return Result<void>();
  Failure failure(Errc::unavailable, fmt::format("{}: the list is incomplete: {}", plan.who(), warning.describe()));
  failure.with_target(asked).with_last_status(200).with_hint("Ask again later, or allow partial answers (partial=true).");
  if (!options.allow_partial()) return failure;
  report_missing(call, plan, failure);
  return Result<void>();
}

void report_missing(Call& call, const GcePlan& plan, const Failure& failure) {
  const std::string subject = "gce:" + plan.group;
  call.impl().emit({.kind = EventKind::omitted, .call = call.id(), .subject = subject, .failure = &failure});
}

}  // namespace rollcall
