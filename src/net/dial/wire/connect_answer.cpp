#include "net/dial/wire/connect_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"

namespace rollcall {
namespace {

// Decision: nothing of a proxy's answer is quoted except words of these tables and a status. It received a password, and may repeat it in
// any place and any spelling.
constexpr std::string_view http_version = "HTTP/1.";
constexpr std::array<std::string_view, 5> known_schemes = {"Basic", "Digest", "Negotiate", "NTLM", "Bearer"};
constexpr int proxy_authentication_required = 407;
constexpr int unauthorized = 401;  // tinyproxy's text for a wrong password

// The text in place of a status: the second word of the first line.
std::string_view status_text(std::string_view head) {
  const std::size_t begin = http_version.size() + 2;
  if (head.size() <= begin || head[begin - 1] != ' ') return {};
  const std::string_view rest = head.substr(begin);
  return rest.substr(0, rest.find_first_of(" \r\n"));
}

// `HTTP/1.1 200 Connection established`
std::optional<int> status_of(std::string_view head) {
  const std::string_view text = status_text(head);
  if (!head.starts_with(http_version) || text.size() != 3) return std::nullopt;
  return parse_decimal<int>(text, 100, 599);
}

// The protocol of the answer, by its first bytes.
std::string_view speaker_of(std::string_view head) {
  struct Beginning {
    std::string_view bytes;
    std::string_view speaker;
  };
  static constexpr std::array<Beginning, 5> beginnings{
      {{"SSH-2.0", "SSH-2.0"}, {"HTTP/2", "HTTP/2"}, {"HTTP/", "another version of HTTP"}, {"\x15\x03", "TLS"}, {"\x16\x03", "TLS"}}};
  for (const Beginning& one : beginnings) {
    if (head.starts_with(one.bytes)) return one.speaker;
  }
  return {};
}

Failure no_http(std::string_view head) {
  const std::string_view speaker = speaker_of(head);
  return Failure(Errc::malformed_response, fmt::format("answered CONNECT with {} bytes that are no HTTP/1{}{}", head.size(),
                                                       speaker.empty() ? "" : ", but ", speaker));
}

Failure no_status(std::string_view head) {
  constexpr std::size_t max_shown = 4;  // too short for a secret
  const std::string_view text = status_text(head);
  const bool is_number = !text.empty() && text.size() <= max_shown && std::all_of(text.begin(), text.end(), is_digit);
  return Failure(Errc::malformed_response, is_number ? fmt::format("answered CONNECT in HTTP/1 with {}, which is no status", text)
                                                     : std::string("answered CONNECT in HTTP/1.0 or HTTP/1.1 without a status"));
}

// The first word of a challenge: `Basic` of `Basic realm="office"`.
std::string_view scheme_of(std::string_view challenge) {
  challenge = trim(challenge);
  const std::string_view word = challenge.substr(0, challenge.find_first_of(" \t,"));
  const auto known =
      std::find_if(known_schemes.begin(), known_schemes.end(), [word](std::string_view one) { return equals_ignoring_case(one, word); });
  return known == known_schemes.end() ? "another scheme" : *known;
}

}  // namespace

Result<void> ConnectAnswer::put(std::string_view bytes) {
  const auto malformed = [](std::string what) { return Failure(Errc::malformed_response, std::move(what)); };
  head_.append(bytes.substr(0, max_bytes + 1));
  const std::size_t shared = std::min(head_.size(), http_version.size());
  if (head_.compare(0, shared, http_version.substr(0, shared)) != 0) return no_http(head_);
  const std::size_t end = head_.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (head_.size() > max_bytes) return malformed("answered CONNECT with an endless header");
    return {};
  }
  const std::optional<int> status = status_of(head_);
  if (!status) return no_status(head_);
  // In TLS the client sends first. After a refusal the body follows.
  if (*status / 100 == 2 && end + 4 != head_.size()) return malformed("sent bytes of its own into the tunnel");
  head_.resize(end + 2);
  status_ = *status;
  return {};
}

std::vector<std::string_view> ConnectAnswer::wanted_schemes() const {
  std::vector<std::string_view> schemes;
  constexpr std::string_view field = "proxy-authenticate:";
  for (const std::string_view line : split(head_, '\n')) {
    if (!equals_ignoring_case(line.substr(0, field.size()), field)) continue;
    const std::string_view scheme = scheme_of(line.substr(field.size()));
    if (std::find(schemes.begin(), schemes.end(), scheme) == schemes.end()) schemes.push_back(scheme);
  }
  return schemes;
}

Result<void> ConnectAnswer::verdict(const ProxyUrl& proxy, std::string_view authority) const {
  if (status_ / 100 == 2) return {};
  const std::vector<std::string_view> schemes = wanted_schemes();
  std::string what = fmt::format("refused a tunnel to {} with HTTP {}", quoted(authority), status_);
  Errc code = Errc::unreachable;
  std::string hint;
  switch (status_) {
    case proxy_authentication_required:
    case unauthorized:
      code = Errc::unauthenticated;
      if (!schemes.empty()) what += fmt::format("; it wants {}", fmt::join(schemes, ", "));
      if (!schemes.empty() && std::find(schemes.begin(), schemes.end(), "Basic") == schemes.end()) {
        hint =
            fmt::format("only Basic credentials are supported: use a proxy that takes them, or none for this host ({})", proxy.way_without);
      } else if (proxy.has_credentials()) {
        hint = fmt::format("the proxy does not accept the user and the password in {}", proxy.from);
      } else {
        hint = fmt::format("put USER:PASSWORD@, percent-encoded, before the host in {}", proxy.from);
      }
      break;
    case 403:
    case 405:
      code = Errc::permission_denied;
      hint = fmt::format("the proxy's rules do not allow it: ask its administrator, or reach the host without it ({})", proxy.way_without);
      break;
    case 502:
    case 503:
    case 504: hint = "the proxy could not reach the host: check the name, and whether the proxy can look it up"; break;
    default: break;
  }
  return Failure(code, std::move(what)).with_hint(std::move(hint)).with_last_status(status_);
}

}  // namespace rollcall
