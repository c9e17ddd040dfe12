// The members of a JSON object as texts, for rooms that pass values on without reading them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// Each name with its value as JSON, in the document's order. `document` names the document in messages. Errors: invalid_argument (no
/// object), and those of JsonDocument::parse().
Result<std::vector<std::pair<std::string, std::string>>> json_members(std::string_view document, std::string_view text);

}  // namespace rollcall
