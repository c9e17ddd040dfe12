// The hosts that a bearer token may be sent to.
#pragma once

#include <string_view>

#include "base/ip.hpp"
#include "rollcall/error.hpp"
#include "rollcall/http.hpp"

namespace rollcall {

/// googleapis.com or below.
inline bool is_google_host(std::string_view host) noexcept { return is_host_below(host, "googleapis.com"); }

/// https, or loopback. Errors: refused_by_policy.
inline Result<void> check_token_destination(const Url& url) {
  if (url.is_https || is_loopback(url.host)) return Result<void>();
  return Failure(Errc::refused_by_policy, "an access token is never sent over plain http: nothing was sent")
      .with_target(url.without_query())
      .with_hint("use an https endpoint; plain http is for loopback addresses only");
}

}  // namespace rollcall
