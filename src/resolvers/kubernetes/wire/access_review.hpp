// Reviews of one's own access. Source: kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-access-review-v1.
#pragma once

#include <string>
#include <string_view>

#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// May the caller do `verb` to pods of the namespace (empty: of all of them)?
std::string access_question(std::string_view verb, std::string_view namespace_name);
/// Errors: malformed_response.
Result<bool> is_access_allowed(std::string_view answer, const ParseLimits& limits);

}  // namespace rollcall
