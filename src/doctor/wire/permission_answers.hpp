// Parses answers about permissions. Sources: cloud.google.com/resource-manager/reference/rest/v1/projects/testIamPermissions;
// kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-access-review-v1.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// `{"permissions":["tpu.nodes.get",…]}`
std::string iam_question(std::span<const std::string_view> permissions);
/// The permissions of `asked` that the answer lacks. Errors: malformed_response.
Result<std::vector<std::string_view>> missing_permissions(std::string_view answer, std::span<const std::string_view> asked,
                                                          const ParseLimits& limits);

}  // namespace rollcall
