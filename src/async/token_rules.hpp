// Where a bearer token may go.
#pragma once

#include "rollcall/error.hpp"
#include "rollcall/http.hpp"

namespace rollcall {

/// An address in 127.0.0.0/8, ::1 or `localhost`, in its one canonical form: what never leaves the machine, where emulators live.
bool is_loopback(std::string_view host) noexcept;
/// googleapis.com or below.
bool is_google_host(std::string_view host) noexcept;
/// https, or loopback. Errors: refused_by_policy.
Result<void> check_token_destination(const Url& url);

}  // namespace rollcall
