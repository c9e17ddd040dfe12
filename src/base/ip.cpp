// IP address literals, and hosts by what they are.
#include "base/ip.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {
namespace {

// `into`: an in_addr or an in6_addr.
bool read_literal(int family, std::string_view text, void* into) noexcept {
  char copy[INET6_ADDRSTRLEN + 1];
  if (text.size() >= sizeof copy || text.find('\0') != std::string_view::npos) return false;
  std::copy(text.begin(), text.end(), copy);
  copy[text.size()] = '\0';
  return inet_pton(family, copy, into) == 1;
}

bool is_literal(int family, std::string_view text) noexcept {
  in6_addr address;
  return read_literal(family, text, &address);
}

class AddressRange {
 public:
  std::string_view first;
  unsigned bits;
};
constexpr AddressRange near_hosts[] = {
    {"127.0.0.0", bits_before_ipv4 + 8},
    {"::1", 128},
    {"0.0.0.0", 128},  // connects to this machine, as :: does
    {"::", 128},
    {"169.254.0.0", bits_before_ipv4 + 16},
    {"fe80::", 10},
    {"fd00:ec2::", 32},
    {"fd20:ce::254", 128},
};

}  // namespace

std::optional<IpBytes> read_ip(std::string_view text) noexcept {
  IpBytes bytes{};
  constexpr std::size_t mapped = bits_before_ipv4 / 8;
  if (read_literal(AF_INET, text, bytes.data() + mapped)) {
    bytes[mapped - 2] = bytes[mapped - 1] = 0xff;
    return bytes;
  }
  bytes = {};
  if (!is_ipv6_literal(text, true) || !read_literal(AF_INET6, text.substr(0, text.find('%')), bytes.data())) return std::nullopt;
  return bytes;
}

bool has_common_prefix(const IpBytes& a, const IpBytes& b, unsigned bits) noexcept {
  for (std::size_t i = 0; i < a.size() && bits > 0; ++i) {
    const unsigned of_byte = bits < 8 ? bits : 8;
    if (((a[i] ^ b[i]) >> (8 - of_byte)) != 0) return false;
    bits -= of_byte;
  }
  return true;
}

bool is_ipv4_literal(std::string_view text) noexcept { return is_literal(AF_INET, text); }

bool is_ipv6_literal(std::string_view text, bool allow_zone) noexcept {
  const std::size_t percent = text.find('%');
  if (percent == std::string_view::npos) return is_literal(AF_INET6, text);
  const std::string_view zone = text.substr(percent + 1);
  const auto is_zone_char = [](char c) { return is_alnum(c) || c == '-' || c == '.' || c == '_'; };
  return allow_zone && !zone.empty() && zone.size() <= 32 && std::all_of(zone.begin(), zone.end(), is_zone_char) &&
         is_literal(AF_INET6, text.substr(0, percent));
}

bool is_loopback_literal(std::string_view text) noexcept {
  constexpr std::uint8_t loopback_net = 127;
  in_addr v4{};
  if (read_literal(AF_INET, text, &v4)) return ntohl(v4.s_addr) >> 24 == loopback_net;
  in6_addr v6{};
  if (!is_ipv6_literal(text, true) || !read_literal(AF_INET6, text.substr(0, text.find('%')), &v6)) return false;
  return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == loopback_net);
}

bool is_localhost(std::string_view name) noexcept {
  if (name.ends_with('.')) name.remove_suffix(1);
  constexpr std::string_view local = "localhost";
  if (name.size() < local.size()) return false;
  const std::size_t before = name.size() - local.size();
  return equals_ignoring_case(name.substr(before), local) && (before == 0 || name[before - 1] == '.');
}

HostIdentity::HostIdentity(std::string_view host) : ip(read_ip(host)) {
  if (ip) return;
  if (host.ends_with('.')) host.remove_suffix(1);
  name = to_lower(host);
}

bool is_near_host(std::string_view host) noexcept {
  constexpr std::string_view metadata_name = "metadata.google.internal";
  if (is_localhost(host) || equals_ignoring_case(host, metadata_name)) return true;
  if (host.ends_with('.') && equals_ignoring_case(host.substr(0, host.size() - 1), metadata_name)) return true;
  const std::optional<IpBytes> address = read_ip(host);
  return address && std::any_of(std::begin(near_hosts), std::end(near_hosts), [&address](const AddressRange& range) {
           return has_common_prefix(*address, *read_ip(range.first), range.bits);
         });
}

bool is_host_below(std::string_view host, std::string_view domain) noexcept {
  if (host.size() < domain.size() || !equals_ignoring_case(host.substr(host.size() - domain.size()), domain)) return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

}  // namespace rollcall
