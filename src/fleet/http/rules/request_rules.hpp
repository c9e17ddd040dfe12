// What the fields of an HTTP request mean to the service, besides its question. Pure.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/http_message.hpp"

namespace rollcall::fleet {

/// The values of all fields of that name, joined by commas, as one field would have them (RFC 9110, 5.3).
std::string joined_field(const HeaderList& headers, std::string_view name);

/// True where the Host field `host` (with a port, if any) is an IP address or `localhost`: such a name leads a browser nowhere else. Any
/// other name may be a stranger's that was made to point at this machine (DNS rebinding).
bool is_local_authority(std::string_view host) noexcept;
/// True if `origin` (RFC 6454: `http://127.0.0.1:7070`) is a page of the server that `host` names.
bool is_own_origin(std::string_view origin, std::string_view host) noexcept;

/// True if the If-None-Match field names `etag`, which is in quotes; by the weak comparison (RFC 9110, 13.1.2).
bool matches_etag(std::string_view if_none_match, std::string_view etag) noexcept;
/// True if the Accept field asks for text/event-stream by name.
bool takes_events(std::string_view accept) noexcept;
/// True if the Accept-Encoding field allows gzip.
bool takes_gzip(std::string_view accept_encoding) noexcept;
/// The trace-id of a `traceparent` field, 32 hexadecimal digits in lower case; empty: it is none. Source: W3C Trace Context, 3.2.
std::string trace_id_of(std::string_view traceparent);

}  // namespace rollcall::fleet
