#include "net/dial/rules/no_proxy.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace rollcall {
namespace {

std::string_view without_last_dot(std::string_view name) noexcept {
  if (name.ends_with('.')) name.remove_suffix(1);
  return name;
}

}  // namespace

NoProxy::NoProxy(std::string_view text) {
  constexpr std::string_view separators = ", \t\r\n";
  for (std::size_t at = text.find_first_not_of(separators); at != std::string_view::npos; at = text.find_first_not_of(separators, at)) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    add(text.substr(at, end - at));
    at = end;
  }
}

void NoProxy::add(std::string_view entry) {
  if (entry == "*") {
    has_all_ = true;
    return;
  }
  Network network;
  if (const std::size_t slash = entry.find('/'); slash != std::string_view::npos) {
    const std::optional<IpBytes> address = read_ip(entry.substr(0, slash));
    if (!address) return;
    const bool is_v4 = is_ipv4_literal(entry.substr(0, slash));
    const auto bits = parse_decimal<unsigned>(entry.substr(slash + 1), 0, is_v4 ? 32 : 128);
    if (!bits) return;
    network.address = *address;
    network.bits = *bits + (is_v4 ? bits_before_ipv4 : 0);
    networks_.push_back(network);
    return;
  }
  // An IPv6 address contains colons; a port can follow only after brackets.
  std::string_view host = entry;
  std::uint16_t port = 0;
  const std::size_t colon = entry.rfind(':');
  const bool is_bracketed = entry.starts_with('[');
  if (is_bracketed || (colon != std::string_view::npos && entry.find(':') == colon)) {
    const std::size_t end = is_bracketed ? entry.find(']') : colon;
    if (end == std::string_view::npos) return;
    host = entry.substr(is_bracketed ? 1 : 0, end - (is_bracketed ? 1 : 0));
    const std::string_view rest = entry.substr(end + (is_bracketed ? 1 : 0));
    if (!rest.empty()) {
      const auto number = rest.front() == ':' ? parse_decimal<std::uint16_t>(rest.substr(1), 1) : std::nullopt;
      if (!number) return;
      port = *number;
    }
  }
  if (const std::optional<IpBytes> address = read_ip(host)) {
    network.address = *address;
    network.bits = 128;
    network.port = port;
    networks_.push_back(network);
    return;
  }
  if (host.starts_with("*.")) host.remove_prefix(1);
  if (host.starts_with('.')) host.remove_prefix(1);
  host = without_last_dot(host);
  if (host.empty()) return;
  Name name;
  name.text = to_lower(host);
  name.port = port;
  names_.push_back(std::move(name));
}

bool NoProxy::has(std::string_view host, std::uint16_t port) const noexcept {
  if (has_all_) return true;
  if (const std::optional<IpBytes> address = read_ip(host)) {
    return std::any_of(networks_.begin(), networks_.end(), [&](const Network& network) {
      return (network.port == 0 || network.port == port) && has_common_prefix(*address, network.address, network.bits);
    });
  }
  host = without_last_dot(host);
  return std::any_of(names_.begin(), names_.end(), [&](const Name& name) {
    if ((name.port != 0 && name.port != port) || name.text.size() > host.size()) return false;
    const std::size_t before = host.size() - name.text.size();
    return equals_ignoring_case(host.substr(before), name.text) && (before == 0 || host[before - 1] == '.');
  });
}

}  // namespace rollcall
