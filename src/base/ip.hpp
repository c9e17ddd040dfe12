// IP address literals, told apart from names without any look-up, and names by what they lie below.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rollcall {

/// An address as IPv6 has it; an IPv4 address is mapped (`::ffff:10.0.0.1`), so that both kinds are compared alike.
using IpBytes = std::array<std::uint8_t, 16>;
inline constexpr unsigned bits_before_ipv4 = 96;  ///< of a mapped address

/// An IPv4 or IPv6 literal, without brackets; a zone (`fe80::1%eth0`) is left out. Absent: it is a name.
std::optional<IpBytes> read_ip(std::string_view text) noexcept;
/// True if the first `bits` bits of both are the same.
bool has_common_prefix(const IpBytes& a, const IpBytes& b, unsigned bits) noexcept;

/// Whose bound an address counts against: an IPv4 address, the 64 bits of network of an IPv6 address, since a machine has as many addresses
/// within it as it likes. Bytes, not text; of what is no address its first 64.
std::string network_of(std::string_view address);

/// A host however it is spelled: `2001:DB8::1` is `2001:db8:0::1`, and `Host-a.` is `host-a`. No brackets.
class HostIdentity {
 public:
  explicit HostIdentity(std::string_view host);
  std::optional<IpBytes> ip;
  std::string name;  ///< in lower case, without its last dot; empty for an address
  friend auto operator<=>(const HostIdentity&, const HostIdentity&) = default;
};

/// Four decimal numbers, `10.0.0.1`.
bool is_ipv4_literal(std::string_view text) noexcept;
/// Without brackets; `allow_zone` permits `fe80::1%eth0`.
bool is_ipv6_literal(std::string_view text, bool allow_zone) noexcept;
/// An address in 127.0.0.0/8, also as IPv6 has it (`::ffff:127.0.0.1`), or `::1`.
bool is_loopback_ip(const IpBytes& bytes) noexcept;
/// The same of its text; no brackets, a zone does not matter.
bool is_loopback_literal(std::string_view text) noexcept;
/// `localhost` and names below it, which mean this machine without being asked for (RFC 6761); a last dot does not matter.
bool is_localhost(std::string_view name) noexcept;
/// True for a loopback address, `localhost` or a name below it: emulators live there. Only the text is looked at. By which address it is
/// reached is for the transport to judge, see net/codec/request_writer.hpp.
inline bool is_loopback(std::string_view host) noexcept { return is_localhost(host) || is_loopback_literal(host); }

/// True for this machine, link-local addresses and metadata servers: what answers there was put there by whoever runs the machine, and no
/// proxy leads there. Only the text is looked at [facts: metadata-addresses].
bool is_near_host(std::string_view host) noexcept;

/// True for the domain itself and for names below it, in either case.
bool is_host_below(std::string_view host, std::string_view domain) noexcept;

}  // namespace rollcall
