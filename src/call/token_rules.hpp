// Where a bearer token may go.
#pragma once

#include <string_view>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "rollcall/error.hpp"
#include "rollcall/http.hpp"

namespace rollcall {

/// True for a loopback address (see is_loopback_literal), `localhost` or a name below it: emulators live there. Only the text is looked
/// at. By which address it is reached is for the transport to judge, see net/codec/request_writer.hpp.
inline bool is_loopback(std::string_view host) noexcept { return is_localhost(host) || is_loopback_literal(host); }

/// googleapis.com or below.
inline bool is_google_host(std::string_view host) noexcept {
  constexpr std::string_view domain = "googleapis.com";
  if (host.size() < domain.size() || !equals_ignoring_case(host.substr(host.size() - domain.size()), domain)) return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

/// https, or loopback. Errors: refused_by_policy.
inline Result<void> check_token_destination(const Url& url) {
  if (url.is_https || is_loopback(url.host)) return Result<void>();
  return Failure(Errc::refused_by_policy, "an access token is never sent over plain http: nothing was sent")
      .with_target(url.without_query())
      .with_hint("use an https endpoint; plain http is for loopback addresses only");
}

}  // namespace rollcall
