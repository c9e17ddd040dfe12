// Parses an HTTP proxy's answer to CONNECT (RFC 9110, sections 9.3.6 and 11.7).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/proxy_url.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

class ConnectAnswer {
 public:
  static constexpr std::size_t max_bytes = 16 * 1024;

  /// Takes received bytes. Errors: malformed_response: no HTTP, a head without end, or unexpected bytes after it. Once is_whole(), nothing
  /// more may be put.
  Result<void> put(std::string_view bytes);
  bool is_whole() const noexcept { return status_ != 0; }
  int status() const noexcept { return status_; }
  /// Success, or why there is no tunnel to `authority` (`HOST:PORT`). Errors: unauthenticated (407 and 401, with the proxy's requirement),
  /// permission_denied (403 and 405), unreachable (any other); the status is in last_status.
  Result<void> verdict(const ProxyUrl& proxy, std::string_view authority) const;

 private:
  std::vector<std::string_view> wanted_schemes() const;
  std::string head_;
  int status_ = 0;
};

}  // namespace rollcall
