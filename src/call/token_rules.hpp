// Where a bearer token may go.
#pragma once

#include "rollcall/error.hpp"
#include "rollcall/http.hpp"

namespace rollcall {

/// True for a loopback address (see is_loopback_literal), `localhost` or a name below it: emulators live there. Only the text is looked
/// at. By which address it is reached is for the transport to judge, see net/codec/request_writer.hpp.
bool is_loopback(std::string_view host) noexcept;
/// googleapis.com or below.
bool is_google_host(std::string_view host) noexcept;
/// https, or loopback. Errors: refused_by_policy.
Result<void> check_token_destination(const Url& url);

}  // namespace rollcall
