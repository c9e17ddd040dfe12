#include "net/dial/wire/connect_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::string_view http_version = "HTTP/1.";
constexpr int proxy_authentication_required = 407;
constexpr int unauthorized = 401;  // tinyproxy's word on a wrong password

// `HTTP/1.1 200 Connection established`
std::optional<int> status_of(std::string_view head) {
  if (!head.starts_with(http_version) || head.size() < 12 || head[8] != ' ') return std::nullopt;
  return parse_decimal<int>(head.substr(9, 3), 100, 599);
}

// The first word of a challenge: `Basic` of `Basic realm="office"`.
std::string_view scheme_of(std::string_view challenge) {
  challenge = trim(challenge);
  return challenge.substr(0, challenge.find_first_of(" \t,"));
}

bool names_basic(std::string_view schemes) {
  const std::string lower = to_lower(schemes);
  return lower.find("basic") != std::string::npos;
}

}  // namespace

Result<void> ConnectAnswer::put(std::string_view bytes) {
  const auto malformed = [](std::string what) { return Failure(Errc::malformed_response, std::move(what)); };
  head_.append(bytes.substr(0, max_bytes + 1));
  const std::size_t shared = std::min(head_.size(), http_version.size());
  if (head_.compare(0, shared, http_version.substr(0, shared)) != 0)
    return malformed(fmt::format("answered CONNECT with {}", quoted(head_, 80)));
  const std::size_t end = head_.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (head_.size() > max_bytes) return malformed("answered CONNECT with an endless header");
    return {};
  }
  const std::optional<int> status = status_of(head_);
  if (!status) return malformed(fmt::format("answered CONNECT with {}", quoted(head_, 80)));
  // In TLS the client speaks first. Behind a refusal there is its page.
  if (*status / 100 == 2 && end + 4 != head_.size()) return malformed("sent bytes of its own into the tunnel");
  head_.resize(end + 2);
  status_ = *status;
  return {};
}

std::string ConnectAnswer::wanted_schemes() const {
  std::string schemes;
  constexpr std::string_view field = "proxy-authenticate:";
  for (const std::string_view line : split(head_, '\n')) {
    if (!equals_ignoring_case(line.substr(0, field.size()), field)) continue;
    if (schemes.size() < 100) schemes += (schemes.empty() ? "" : ", ") + printable(scheme_of(line.substr(field.size())), 40);
  }
  return schemes;
}

Result<void> ConnectAnswer::verdict(const ProxyUrl& proxy, std::string_view authority) const {
  if (status_ / 100 == 2) return {};
  const std::string schemes = wanted_schemes();
  std::string what = fmt::format("refused a tunnel to {} with HTTP {}", quoted(authority), status_);
  Errc code = Errc::unreachable;
  std::string hint;
  switch (status_) {
    case proxy_authentication_required:
    case unauthorized:
      code = Errc::unauthenticated;
      if (!schemes.empty()) what += fmt::format("; it wants {}", schemes);
      if (!schemes.empty() && !names_basic(schemes)) {
        hint = "only Basic credentials are supported: use a proxy that takes them, or none for this host (NO_PROXY)";
      } else if (proxy.has_credentials()) {
        hint = fmt::format("the proxy does not accept the user and the password in {}", proxy.from);
      } else {
        hint = fmt::format("put USER:PASSWORD@, percent-encoded, before the host in {}", proxy.from);
      }
      break;
    case 403:
    case 405:
      code = Errc::permission_denied;
      hint = "the proxy's rules do not allow it: ask whoever runs it, or reach the host without it (NO_PROXY)";
      break;
    case 502:
    case 503:
    case 504: hint = "the proxy could not reach the host: check the name, and whether the proxy can look it up"; break;
    default: break;
  }
  return Failure(code, std::move(what)).with_hint(std::move(hint)).with_last_status(status_);
}

}  // namespace rollcall
