// A request as bytes, appended to one string. No I/O.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {

/// Whether `request` may be sent. Errors: invalid_argument for a target, host, field, token or user agent that holds bytes which do
/// not belong there (CR, LF and NUL above all; nothing is taken out), or a field that is the transport's business; refused_by_policy for
/// a secret in clear to a URL whose host is not this machine.
Result<void> check_request(const HttpRequest& request, std::string_view user_agent = {});

/// Whether a token, or a field that holds one, is sent by plain http: then the address that is connected to must be of this machine,
/// whatever the URL's host is called.
bool has_secret_in_clear(const HttpRequest& request);
/// Whether it has a body, or a field whose value is not of the library's own making.
bool may_carry_secret(const HttpRequest& request);
/// What to say where it is not: refused_by_policy. `where` is what the connection leads to.
Failure secret_in_clear(const Url& url, std::string_view where);

/// Bytes that are enough for it. A text that grew while the token was in it would leave a copy behind.
std::size_t request_room(const HttpRequest& request, std::string_view user_agent);
/// Appends `request` in HTTP/1.1 form; check_request() must have passed.
void append_request(std::string& out, const HttpRequest& request, std::string_view user_agent);

}  // namespace rollcall
