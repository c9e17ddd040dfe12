// A request as bytes, appended to one string. No I/O.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {

/// Whether `request` may be sent. Errors: invalid_argument for a target, host, field or token that holds bytes which do not
/// belong there (CR, LF and NUL above all), or a field that is the transport's business; refused_by_policy for a token (or an
/// Authorization field) that would leave this machine without TLS.
Result<void> check_request(const HttpRequest& request);

/// Appends `request` in HTTP/1.1 form; check_request() must have passed.
void append_request(std::string& out, const HttpRequest& request, std::string_view user_agent);

}  // namespace rollcall
