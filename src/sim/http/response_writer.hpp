// HTTP answers as bytes, for the server.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/http.hpp"

namespace rollcall {

/// Appends the answer. Content-Length is added unless the headers have it or a Transfer-Encoding, in which case the body goes
/// out as chunks; `Connection: close` when the connection is not kept alive and the headers do not say so. An answer to HEAD,
/// 204 and 304 have no body.
void append_response(std::string& out, const HttpResponse& response, bool is_head, bool keeps_alive);

/// The head of an answer whose body follows in chunks, and one chunk of it; an empty one ends the body.
void append_chunked_head(std::string& out, const HttpResponse& response, bool keeps_alive);
void append_chunk(std::string& out, std::string_view bytes);

std::string_view reason_phrase(int status) noexcept;

}  // namespace rollcall
