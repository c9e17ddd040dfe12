// Compares the end of a case with its expectations.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "conformance/case_world.hpp"
#include "conformance/outcome.hpp"

namespace rollcall::conformance {

/// The error in a call's outcome, as one line; none when it is acceptable.
std::optional<std::string> judge_outcome(const Case& the_case, const Step& step, const Outcome& outcome);

/// The same for the requests, for `expect_elapsed_ms`, and for `expect_after` except the object's properties.
std::optional<std::string> judge_requests(const Case& the_case, const HttpScript& script, const GrpcScript& grpc);
std::optional<std::string> judge_elapsed(const Case& the_case, double elapsed_ms);
std::optional<std::string> judge_environment(const json::object& after, CaseWorld& world);

/// A value or a failure, as one line.
std::string to_text(const Outcome& outcome, bool is_tpu);
/// True when failures come from looking up TPUs, a union's children included.
bool looks_up_tpus(std::string_view resolver, const json::object& args);

}  // namespace rollcall::conformance
