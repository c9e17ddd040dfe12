// IP address literals, and classification of hosts.
#include "base/ip.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {
namespace {

// Four numbers in the syntax of inet_pton(3), without leading zeros. An implementation of its own for speed: every address of every answer
// is parsed several times.
bool read_ipv4(std::string_view text, std::uint8_t* into) noexcept {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int i = 0;; ++i) {
    if (at == end || !is_digit(*at)) return false;
    int number = *at++ - '0';
    if (at != end && is_digit(*at)) {
      if (number == 0) return false;
      number = number * 10 + (*at++ - '0');
      if (at != end && is_digit(*at)) number = number * 10 + (*at++ - '0');
      if (number > 255) return false;
    }
    into[i] = static_cast<std::uint8_t>(number);
    if (i == 3) return at == end;
    if (at == end || *at++ != '.') return false;
  }
}

bool read_ipv6(std::string_view text, std::uint8_t* into) noexcept {
  char copy[INET6_ADDRSTRLEN + 1];
  if (text.size() >= sizeof copy || text.find(':') == std::string_view::npos || text.find('\0') != std::string_view::npos) return false;
  std::copy(text.begin(), text.end(), copy);
  copy[text.size()] = '\0';
  return inet_pton(AF_INET6, copy, into) == 1;
}

constexpr std::uint8_t loopback_net = 127;

constexpr IpBytes mapped_ipv4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
  return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d};
}

class AddressRange {
 public:
  IpBytes first;
  unsigned bits;
};
constexpr AddressRange near_hosts[] = {
    {mapped_ipv4(loopback_net, 0, 0, 0), bits_before_ipv4 + 8},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128},  // ::1
    {mapped_ipv4(0, 0, 0, 0), 128},                           // connects to this machine, as :: does
    {{}, 128},
    {mapped_ipv4(169, 254, 0, 0), bits_before_ipv4 + 16},
    {{0xfe, 0x80}, 10},
    {{0xfd, 0x00, 0x0e, 0xc2}, 32},                                         // fd00:ec2::
    {{0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}, 128},  // fd20:ce::254
};

}  // namespace

std::optional<IpBytes> read_ip(std::string_view text) noexcept {
  IpBytes bytes{};
  constexpr std::size_t mapped = bits_before_ipv4 / 8;
  if (read_ipv4(text, bytes.data() + mapped)) {
    bytes[mapped - 2] = bytes[mapped - 1] = 0xff;
    return bytes;
  }
  bytes = {};
  if (!is_ipv6_literal(text, true) || !read_ipv6(text.substr(0, text.find('%')), bytes.data())) return std::nullopt;
  return bytes;
}

bool has_common_prefix(const IpBytes& a, const IpBytes& b, unsigned bits) noexcept {
  const std::size_t whole = std::min<std::size_t>(bits / 8, a.size());
  if (!std::equal(a.begin(), a.begin() + whole, b.begin())) return false;
  const unsigned rest = bits % 8;
  return rest == 0 || whole == a.size() || (a[whole] ^ b[whole]) >> (8 - rest) == 0;
}

bool is_ipv4_literal(std::string_view text) noexcept {
  std::uint8_t bytes[4];
  return read_ipv4(text, bytes);
}

bool is_ipv6_literal(std::string_view text, bool allow_zone) noexcept {
  std::uint8_t bytes[16];
  const std::size_t percent = text.find('%');
  if (percent == std::string_view::npos) return read_ipv6(text, bytes);
  const std::string_view zone = text.substr(percent + 1);
  const auto is_zone_char = [](char c) { return is_alnum(c) || c == '-' || c == '.' || c == '_'; };
  return allow_zone && !zone.empty() && zone.size() <= 32 && std::all_of(zone.begin(), zone.end(), is_zone_char) &&
         read_ipv6(text.substr(0, percent), bytes);
}

bool is_loopback_ip(const IpBytes& bytes) noexcept {
  constexpr IpBytes ipv4_loopback = mapped_ipv4(loopback_net, 0, 0, 0);
  constexpr IpBytes ipv6_loopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return bytes == ipv6_loopback || has_common_prefix(bytes, ipv4_loopback, bits_before_ipv4 + 8);
}

bool is_loopback_literal(std::string_view text) noexcept {
  if (std::uint8_t ipv4[4]; read_ipv4(text, ipv4)) return ipv4[0] == loopback_net;
  const std::optional<IpBytes> bytes = read_ip(text);
  return bytes && is_loopback_ip(*bytes);
}

bool is_localhost(std::string_view name) noexcept {
  if (name.ends_with('.')) name.remove_suffix(1);
  constexpr std::string_view local = "localhost";
  if (name.size() < local.size()) return false;
  const std::size_t before = name.size() - local.size();
  return equals_ignoring_case(name.substr(before), local) && (before == 0 || name[before - 1] == '.');
}

std::string network_of(std::string_view address) {
  const std::optional<IpBytes> bytes = read_ip(address);
  if (!bytes) return std::string(address.substr(0, 64));
  constexpr IpBytes ipv4_prefix = mapped_ipv4(0, 0, 0, 0);
  const bool is_ipv4 = has_common_prefix(*bytes, ipv4_prefix, bits_before_ipv4);
  return std::string(bytes->begin() + (is_ipv4 ? 12 : 0), bytes->begin() + (is_ipv4 ? 16 : 8));
}

HostIdentity::HostIdentity(std::string_view host) : ip(read_ip(host)) {
  if (ip) return;
  if (host.ends_with('.')) host.remove_suffix(1);
  name = to_lower(host);
}

bool is_short_for(const HostIdentity& host, const HostIdentity& other) noexcept {
  const std::string& name = host.name;
  return !name.empty() && other.name.size() > name.size() && other.name.starts_with(name) && other.name[name.size()] == '.';
}

bool is_near_host(std::string_view host) noexcept {
  constexpr std::string_view metadata_name = "metadata.google.internal";
  if (is_localhost(host) || equals_ignoring_case(host, metadata_name)) return true;
  if (host.ends_with('.') && equals_ignoring_case(host.substr(0, host.size() - 1), metadata_name)) return true;
  const std::optional<IpBytes> address = read_ip(host);
  return address && std::any_of(std::begin(near_hosts), std::end(near_hosts),
                                [&address](const AddressRange& range) { return has_common_prefix(*address, range.first, range.bits); });
}

bool is_host_below(std::string_view host, std::string_view domain) noexcept {
  if (host.size() < domain.size() || !equals_ignoring_case(host.substr(host.size() - domain.size()), domain)) return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

}  // namespace rollcall
