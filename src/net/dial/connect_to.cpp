#include "net/dial/connect_to.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/text.hpp"

namespace rollcall {
namespace {

// Removes and returns the text up to the next ':' (a host in brackets as a whole), and removes the ':'.
std::optional<std::string_view> take_host(std::string_view& text) {
  std::size_t end = 0;
  std::string_view host;
  if (text.starts_with('[')) {
    end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    host = text.substr(1, end - 1);
    ++end;
  } else {
    end = text.find(':');
    host = text.substr(0, end);
  }
  if (end >= text.size() || text[end] != ':') return std::nullopt;
  text.remove_prefix(end + 1);
  for (const char c : host) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '[' || c == ']' || c == '/') return std::nullopt;
  }
  return host;
}

std::optional<std::uint16_t> to_port(std::string_view text) {
  if (text.empty()) return std::uint16_t{0};
  return parse_decimal<std::uint16_t>(text, 1);
}

}  // namespace

Result<ConnectTo> ConnectTo::parse(std::string_view text) {
  const auto refuse = [text] {
    return Failure(Errc::invalid_argument, fmt::format("the connect-to rule {} has the wrong form", quoted(text)))
        .with_hint(
            "write HOST1:PORT1:HOST2:PORT2, IPv6 addresses in brackets; an empty HOST1 or PORT1 matches every one, an empty HOST2 "
            "or PORT2 keeps it");
  };
  std::string_view rest = text;
  const auto from_host = take_host(rest);
  if (!from_host) return refuse();
  const std::size_t end_of_port = rest.find(':');
  if (end_of_port == std::string_view::npos) return refuse();
  const auto from_port = rollcall::to_port(rest.substr(0, end_of_port));
  rest.remove_prefix(end_of_port + 1);
  const auto to_host = take_host(rest);
  if (!to_host) return refuse();
  const auto to_port = rollcall::to_port(rest);
  if (!from_port || !to_port) return refuse();
  ConnectTo rule;
  rule.from_host = *from_host;
  rule.from_port = *from_port;
  rule.to_host = *to_host;
  rule.to_port = *to_port;
  return rule;
}

Destination apply_connect_to(const std::vector<ConnectTo>& rules, std::string_view host, std::uint16_t port) {
  for (const ConnectTo& rule : rules) {
    if (!rule.from_host.empty() && !equals_ignoring_case(rule.from_host, host)) continue;
    if (rule.from_port != 0 && rule.from_port != port) continue;
    return Destination(rule.to_host.empty() ? std::string(host) : rule.to_host, rule.to_port != 0 ? rule.to_port : port);
  }
  return Destination(std::string(host), port);
}

}  // namespace rollcall
