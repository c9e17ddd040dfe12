// Serializes a request into one string. No I/O.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {

/// Checks that `request` may be sent. Errors: invalid_argument for a target, host, field, token or user agent with invalid bytes (above all
/// CR, LF and NUL; nothing is removed), or a field that the transport sets itself; refused_by_policy for a secret over plain http to a URL
/// whose host is not this machine.
Result<void> check_request(const HttpRequest& request, std::string_view user_agent = {});

/// True if a token, or a field with a secret, is sent by plain http: then the address that is connected to must be one of this machine,
/// independent of the name of the URL's host.
bool has_secret_in_clear(const HttpRequest& request);
/// True for a field whose value comes from the library itself and is no secret.
bool is_harmless_field(std::string_view name) noexcept;
/// True if it has a body, or another field.
bool may_carry_secret(const HttpRequest& request);
/// The failure for an address that is not: refused_by_policy. `where` is the address of the connection.
Failure secret_in_clear(const Url& url, std::string_view where);

/// The URL's host and port, as a request names them.
void append_authority(std::string& out, const Url& url);
/// Number of bytes that is sufficient for the request. A string that reallocates while it contains the token would leave a copy in memory.
std::size_t request_room(const HttpRequest& request, std::string_view user_agent);
/// Appends `request` in HTTP/1.1 form; check_request() must have passed.
void append_request(std::string& out, const HttpRequest& request, std::string_view user_agent);

}  // namespace rollcall
