// The meaning of HTTP header fields for the service. Pure.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/http_message.hpp"

namespace rollcall::fleet {

/// The values of all fields of that name, joined by commas (RFC 9110, 5.3).
std::string joined_field(const HeaderList& headers, std::string_view name);

/// True if the Host field (with an optional port) is an IP address or `localhost`, which cannot be redirected. Any other name may belong to
/// an attacker who has made it resolve to this machine (DNS rebinding).
bool is_local_authority(std::string_view host) noexcept;
/// True if `origin` (RFC 6454: `http://127.0.0.1:7070`) is the server that `host` names.
bool is_own_origin(std::string_view origin, std::string_view host) noexcept;

/// True if the If-None-Match field names `etag`, which includes its quotes, by the weak comparison (RFC 9110, 13.1.2).
bool matches_etag(std::string_view if_none_match, std::string_view etag) noexcept;
/// True if the Accept field names text/event-stream.
bool takes_events(std::string_view accept) noexcept;
/// True if the Accept-Encoding field allows gzip.
bool takes_gzip(std::string_view accept_encoding) noexcept;
/// The trace-id of a `traceparent` field, 32 lower-case hexadecimal digits; empty: the field is invalid. Source: W3C Trace Context, 3.2.
std::string trace_id_of(std::string_view traceparent);

}  // namespace rollcall::fleet
