// Splitting and printing absolute http and https URLs (RFC 3986, the part that requests need).
#include "base/url.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ip.hpp"
#include "base/text.hpp"

namespace rollcall {

namespace {

constexpr std::size_t max_url_bytes = 64 * 1024;

bool is_host_char(char c) noexcept { return is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~'; }

Failure bad_url(std::string_view text, std::string_view fault) {
  // A query may contain a secret, and so may user information: neither is shown. A password may have any character that ends a URL's parts.
  const std::string_view shown = text.substr(0, text.find_first_of("?#"));
  const std::size_t user_end = text.rfind('@');
  if (user_end == std::string_view::npos) return Failure(Errc::invalid_argument, fmt::format("invalid URL {}: {}", quoted(shown), fault));
  const std::size_t scheme = shown.find("://");
  const std::string_view before = scheme == std::string_view::npos ? std::string_view() : shown.substr(0, scheme + 3);
  const std::string masked = fmt::format("{}***{}", before, shown.substr(std::min(user_end, shown.size())));
  return Failure(Errc::invalid_argument, fmt::format("invalid URL {}: {}", quoted(masked), fault));
}

}  // namespace

std::string percent_encode_path_segment(std::string_view text) { return percent_encode(text, "-._~"); }

Result<Url> Url::parse(std::string_view text) {
  if (text.size() > max_url_bytes) return bad_url(text, fmt::format("longer than {} bytes", max_url_bytes));
  if (!is_ascii_from(' ' + 1, text)) return bad_url(text, "it contains a blank, control or non-ASCII character");
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos) return bad_url(text, "it has no scheme; expected http:// or https://");
  Url url;
  const std::string_view scheme = text.substr(0, colon);
  url.is_https = equals_ignoring_case(scheme, "https");
  if (!url.is_https && !equals_ignoring_case(scheme, "http")) return bad_url(text, "its scheme is neither http nor https");
  url.port = url.is_https ? 443 : 80;

  std::string_view rest = text.substr(colon + 3);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view authority = rest.substr(0, end);
  url.target = rest.substr(end);
  if (url.target.empty() || url.target.front() == '?') url.target.insert(0, "/");

  if (authority.find('@') != std::string_view::npos) return bad_url(text, "it contains user information");
  const bool is_bracketed = !authority.empty() && authority.front() == '[';
  const std::size_t host_end = is_bracketed ? authority.find(']') : authority.find(':');
  if (is_bracketed && host_end == std::string_view::npos) return bad_url(text, "a bracket is not closed");
  const std::string_view host = is_bracketed ? authority.substr(1, host_end - 1) : authority.substr(0, host_end);
  std::string_view port = host_end == std::string_view::npos ? std::string_view() : authority.substr(host_end + (is_bracketed ? 1 : 0));
  if (host.empty()) return bad_url(text, "its host is empty");
  const bool is_host =
      is_bracketed ? is_ipv6_literal(host, false) : host.size() <= 255 && std::all_of(host.begin(), host.end(), is_host_char);
  if (!is_host) return bad_url(text, "its host is neither a name nor an address (IPv6 needs brackets)");
  url.host = to_lower(host);
  if (port.empty() || port == ":") return url;
  const auto number = port.front() == ':' ? parse_decimal<std::uint16_t>(port.substr(1), 1) : std::nullopt;
  if (!number) return bad_url(text, "its port is not a number from 1 to 65535");
  url.port = *number;
  return url;
}

std::string Url::authority() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  std::string text = is_ipv6 ? "[" + host + "]" : host;
  if (port != (is_https ? 443 : 80)) text += fmt::format(":{}", port);
  return text;
}

std::string Url::origin() const { return (is_https ? "https://" : "http://") + authority(); }

std::string Url::without_query() const { return origin() + target.substr(0, target.find('?')); }

std::string percent_encode(std::string_view text, std::string_view kept) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto is_kept = [kept](char c) { return is_alnum(c) || kept.find(c) != std::string_view::npos; };
  std::string out;
  // Reserves the final size: a buffer that grows would leave copies in memory, and the text may be a secret.
  out.reserve(3 * text.size() - 2 * static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_kept)));
  for (const char c : text) {
    if (is_kept(c)) {
      out.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out;
}

std::optional<std::string> percent_decode(std::string_view text) {
  const std::size_t first = text.find('%');
  std::string out(text.substr(0, first));
  if (first == std::string_view::npos) return out;
  for (std::size_t i = first; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(static_cast<unsigned char>(high * 16 + low)));
    i += 2;
  }
  return out;
}

Result<Url> parse_api_root(std::string_view origin_of_value, std::string_view text, std::string_view what) {
  Result<Url> url = Url::parse(text);
  if (!url) return Failure(Errc::invalid_argument, fmt::format("{} is not {}: {}", origin_of_value, what, url.error().what()));
  if (url->target.find('?') != std::string::npos) {
    return Failure(Errc::invalid_argument, fmt::format("{} is not {}: it has a query: {}", origin_of_value, what, url->without_query()));
  }
  if (!url->target.ends_with('/')) url->target += '/';
  return url;
}

}  // namespace rollcall
