#include "call/token_rules.hpp"

#include "base/ip.hpp"
#include "base/text.hpp"

namespace rollcall {

bool is_loopback(std::string_view host) noexcept { return is_localhost(host) || is_loopback_literal(host); }

bool is_google_host(std::string_view host) noexcept {
  constexpr std::string_view domain = "googleapis.com";
  if (host.size() < domain.size() || !equals_ignoring_case(host.substr(host.size() - domain.size()), domain)) return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

Result<void> check_token_destination(const Url& url) {
  if (url.is_https || is_loopback(url.host)) return Result<void>();
  return Failure(Errc::refused_by_policy, "an access token is never sent over plain http: nothing was sent")
      .with_target(url.without_query())
      .with_hint("use an https endpoint; plain http is for loopback addresses only");
}

}  // namespace rollcall
