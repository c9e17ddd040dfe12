#include "base/proxy_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "base/url.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {
namespace {

struct SchemeRow {
  ProxyScheme scheme;
  std::string_view name;
  std::uint16_t port;
};
constexpr SchemeRow proxy_schemes[] = {
    {ProxyScheme::http, "http", 80},
    {ProxyScheme::https, "https", 443},
    {ProxyScheme::socks5, "socks5", 1080},
    {ProxyScheme::socks5h, "socks5h", 1080},
};

constexpr std::size_t max_credential = 255;  // RFC 1929 has one byte for the length

bool is_visible(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != '\x7f'; });
}

// No control characters: user and password can never start a new line, however the proxy parses them.
const char* credential_fault(const std::optional<std::string>& text) noexcept {
  if (!text) return "has a '%' without two hexadecimal digits behind it";
  if (text->size() > max_credential) return "is longer than 255 bytes";
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; };
  return std::any_of(text->begin(), text->end(), is_control) ? "has a control character" : nullptr;
}

}  // namespace

Result<ProxyUrl> ProxyUrl::parse(std::string_view text, std::string_view from) {
  const auto refuse = [from](std::string_view fault) {
    return Failure(Errc::invalid_argument, fmt::format("{} names no proxy that can be used: {}", from, fault))
        .with_hint(
            "write http://HOST:PORT, https://HOST:PORT, socks5://HOST:PORT or socks5h://HOST:PORT; with USER:PASSWORD@ before HOST, "
            "percent-encoded, where the proxy wants them");
  };
  if (!is_visible(text)) return refuse("it contains a blank or a control character");
  ProxyUrl url;
  url.from = from;
  const SchemeRow* row = proxy_schemes;
  if (const std::size_t colon = text.find("://"); colon != std::string_view::npos) {
    const std::string_view scheme = text.substr(0, colon);
    row = std::find_if(std::begin(proxy_schemes), std::end(proxy_schemes),
                       [scheme](const SchemeRow& r) { return equals_ignoring_case(r.name, scheme); });
    if (row == std::end(proxy_schemes)) return refuse("its scheme is not http, https, socks5 or socks5h");
    text.remove_prefix(colon + 3);
  }
  url.scheme = row->scheme;

  const std::string_view authority = text.substr(0, text.find_first_of("/?#"));
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view pair = authority.substr(0, at);
    const std::size_t colon = std::min(pair.find(':'), pair.size());
    std::optional<std::string> user = percent_decode(pair.substr(0, colon));
    std::optional<std::string> password = percent_decode(pair.substr(std::min(colon + 1, pair.size())));
    const char* const of_user = credential_fault(user);
    const char* const of_password = credential_fault(password);
    if (password) url.password = Secret<std::string>(std::move(*password));
    if (of_user) return refuse(fmt::format("its user {}", of_user));
    if (of_password) return refuse(fmt::format("its password {}", of_password));
    if (user->empty()) return refuse("it has a password without a user");
    if (user->find(':') != std::string::npos && !url.is_socks()) return refuse("its user has a colon, which Basic credentials cannot have");
    url.user = std::move(*user);
    text.remove_prefix(at + 1);
  }
  // If the text has no port, the two URLs have different default ports.
  const Result<Url> by_http = Url::parse("http://" + std::string(text));
  const Result<Url> by_https = Url::parse("https://" + std::string(text));
  if (!by_http || !by_https) return refuse("its host or port is malformed");
  if (by_http->target != "/" || text.find_first_of("?#") != std::string_view::npos) return refuse("there is more behind its port");
  url.host = by_http->host;
  url.port = by_http->port == by_https->port ? by_http->port : row->port;
  return url;
}

std::string ProxyUrl::shown() const {
  const auto* const row =
      std::find_if(std::begin(proxy_schemes), std::end(proxy_schemes), [this](const SchemeRow& r) { return r.scheme == scheme; });
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", row->name, is_v6 ? "[" : "", host, is_v6 ? "]" : "", port);
}

}  // namespace rollcall
