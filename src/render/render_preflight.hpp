// The verdict of a preflight as text or JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rollcall/preflight_verdict.hpp"

namespace rollcall {

/// A line with the result, one for each finding, with its hint below, and one for each thing that could not be tested. `subject`:
/// `preflight slurm:`.
std::string render_preflight_text(std::string_view subject, const PreflightVerdict& verdict);
/// One document on one line, with a line break; docs/output.schema.json describes it.
std::string render_preflight_json(const PreflightVerdict& verdict);
/// `worker 3 (n03), worker 4 and 12 more`
std::string member_list(const std::vector<FindingMember>& members, std::size_t most = 8);

}  // namespace rollcall
