#include "async/token_rules.hpp"

#include <charconv>

#include "core/text.hpp"

namespace rollcall {

bool is_loopback(std::string_view host) noexcept {
  if (host == "::1" || equals_ignoring_case(host, "localhost")) return true;
  int parts = 0;
  for (;; ++parts) {  // four decimal numbers, the first of them 127
    const std::size_t end = host.find('.');
    const std::string_view part = host.substr(0, end);
    unsigned value = 256;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || stop != part.data() + part.size() || part.size() > 3 || value > 255) return false;
    if (part.size() > 1 && part[0] == '0') return false;
    if (parts == 0 && value != 127) return false;
    if (end == std::string_view::npos) return parts == 3;
    host.remove_prefix(end + 1);
  }
}

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
