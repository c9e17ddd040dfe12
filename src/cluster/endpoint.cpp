// Endpoints: host and port, and lists of them.
#include "rollcall/endpoint.hpp"
#include "base/secret_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "cluster/endpoint_text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_host_bytes = 255;
constexpr std::size_t max_list_elements = 65536;

bool is_host_byte(char c) noexcept {
  constexpr std::string_view refused = "[]/\\,;@?#\"'`<>{}|^$&*()!=%";
  return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7F && refused.find(c) == std::string_view::npos;
}

Failure bad_endpoint(std::string_view text, std::string_view fault) {
  return Failure(Errc::invalid_argument, fmt::format("invalid address {}: {}", quoted_words(text), fault));
}

}  // namespace

Result<Endpoint> Endpoint::parse(std::string_view text) {
  if (text.empty()) return bad_endpoint(text, "it is empty");
  std::string_view host = text;
  std::optional<std::string_view> port;
  const bool is_bracketed = text.front() == '[';
  if (is_bracketed) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return bad_endpoint(text, "a bracket is not closed");
    host = text.substr(1, close - 1);
    const std::string_view rest = text.substr(close + 1);
    if (!rest.empty() && rest.front() != ':') return bad_endpoint(text, "only a colon and a port may follow the closing bracket");
    if (!rest.empty()) port = rest.substr(1);
    if (!is_ipv6_literal(host, true)) return bad_endpoint(text, "what is between the brackets is not an IPv6 address");
  } else if (!is_ipv6_literal(text, true)) {
    const std::size_t colon = text.find(':');
    host = text.substr(0, colon);
    if (colon != std::string_view::npos) port = text.substr(colon + 1);
    if (host.empty()) return bad_endpoint(text, "the host is empty");
    if (host.size() > max_host_bytes) return bad_endpoint(text, fmt::format("the host is longer than {} bytes", max_host_bytes));
    if (host.front() == '-') return bad_endpoint(text, "a host does not begin with a hyphen, options do");
    if (!std::all_of(host.begin(), host.end(), is_host_byte))
      return bad_endpoint(text, "the host contains a character that no host name has");
  }
  Endpoint endpoint(std::string(host), std::nullopt);
  if (port) {
    endpoint.port = parse_decimal<std::uint16_t>(*port, 1);
    if (!endpoint.port) return bad_endpoint(text, "the port is not a number from 1 to 65535 (an IPv6 address with a port needs brackets)");
  }
  return endpoint;
}

std::string Endpoint::to_text() const { return endpoint_text(host, port); }

std::string endpoint_text(std::string_view host, std::optional<std::uint16_t> port) {
  const bool is_bracketed = host.find(':') != std::string_view::npos;
  const fmt::format_int number(port.value_or(0));
  std::string text;
  text.reserve(host.size() + 2 * is_bracketed + (port ? 1 + number.size() : 0));  // no more: a short string needs no allocation
  if (is_bracketed) text += '[';
  text += host;
  if (is_bracketed) text += ']';
  if (port) text.append(1, ':').append(number.data(), number.size());
  return text;
}

Result<std::vector<Endpoint>> parse_endpoint_list(std::string_view text, std::uint16_t default_port) {
  constexpr std::string_view scheme = "grpc://";
  std::vector<Endpoint> endpoints;
  for (const std::string_view part : split(text, ',')) {
    std::string_view element = trim(part);
    if (element.substr(0, scheme.size()) == scheme) element = trim(element.substr(scheme.size()));
    if (element.empty()) continue;
    if (endpoints.size() == max_list_elements) {
      return Failure(Errc::limit_exceeded,
                     fmt::format("the list of addresses {} has more than {} elements", quoted_words(text, 64), max_list_elements));
    }
    Result<Endpoint> endpoint = Endpoint::parse(element);
    if (!endpoint) return endpoint.error();
    endpoints.push_back(*std::move(endpoint));
    if (!endpoints.back().port) endpoints.back().port = default_port;
  }
  if (endpoints.empty()) {
    return Failure(Errc::invalid_argument, fmt::format("the list of addresses {} names no address", quoted_words(text)))
        .with_hint("write host:port, separated by commas");
  }
  return endpoints;
}

}  // namespace rollcall
