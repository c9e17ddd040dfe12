// Scalar values of the GCE metadata server.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

/// The body without blanks around it; empty means that the key has no value (the server answers so while it starts, too). Errors:
/// malformed_response for an HTML page, control characters inside (lists have their own parsers), or more than 4,096 bytes. `path` is the
/// requested path, for the message.
Result<std::string> parse_metadata_value(std::string_view path, std::string_view body);

/// `projects/123456789012/zones/us-central2-b` → `us-central2-b`. Errors: malformed_response when that is no zone name.
Result<std::string> parse_metadata_zone(std::string_view body);

/// `example-proj` or `example.com:proj`. Errors: malformed_response.
Result<std::string> parse_metadata_project(std::string_view body);

}  // namespace rollcall
