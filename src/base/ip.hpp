// IP address literals, distinguished from names without a look-up, and names by their domains.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rollcall {

/// An IPv6 address; an IPv4 address is mapped (`::ffff:10.0.0.1`), so that both kinds compare alike.
using IpBytes = std::array<std::uint8_t, 16>;
inline constexpr unsigned bits_before_ipv4 = 96;  ///< of a mapped address

/// An IPv4 or IPv6 literal, without brackets; a zone (`fe80::1%eth0`) is dropped. Absent: it is a name.
std::optional<IpBytes> read_ip(std::string_view text) noexcept;
/// True if the first `bits` bits of both are the same.
bool has_common_prefix(const IpBytes& a, const IpBytes& b, unsigned bits) noexcept;

/// The key of limits per client address: an IPv4 address, or the 64-bit network of an IPv6 address, since a machine can use any address
/// within its network. Bytes, not text; for a text that is no address its first 64 bytes.
std::string network_of(std::string_view address);

/// A host in canonical form: `2001:DB8::1` equals `2001:db8:0::1`, and `Host-a.` equals `host-a`. No brackets.
class HostIdentity {
 public:
  explicit HostIdentity(std::string_view host);
  std::optional<IpBytes> ip;
  std::string name;  ///< in lower case, without its last dot; empty for an address
  friend auto operator<=>(const HostIdentity&, const HostIdentity&) = default;
};

/// `job-0-1` and `job-0-1.service.namespace`: the name, in whole labels, begins the other one. False for addresses.
bool is_short_for(const HostIdentity& host, const HostIdentity& other) noexcept;
/// `job-0-1` of `job-0-1.service.namespace`.
inline std::string_view first_label(std::string_view host) noexcept { return host.substr(0, host.find('.')); }

/// Four decimal numbers, `10.0.0.1`.
bool is_ipv4_literal(std::string_view text) noexcept;
/// Without brackets; `allow_zone` permits `fe80::1%eth0`.
bool is_ipv6_literal(std::string_view text, bool allow_zone) noexcept;
/// An address in 127.0.0.0/8, also mapped to IPv6 (`::ffff:127.0.0.1`), or `::1`.
bool is_loopback_ip(const IpBytes& bytes) noexcept;
/// The same for the address as text; no brackets, a zone is ignored.
bool is_loopback_literal(std::string_view text) noexcept;
/// `localhost` and names below it, which mean this machine without a look-up (RFC 6761); a last dot is ignored.
bool is_localhost(std::string_view name) noexcept;
/// True for a loopback address, `localhost` or a name below it: emulators use these. Only the text is checked. The address that is actually
/// connected to is checked by the transport, see net/codec/request_writer.hpp.
inline bool is_loopback(std::string_view host) noexcept { return is_localhost(host) || is_loopback_literal(host); }

/// True for this machine, link-local addresses and metadata servers: they are controlled by the operator of the machine, and are never
/// reached through a proxy. Only the text is checked [facts: metadata-addresses].
bool is_near_host(std::string_view host) noexcept;

/// True for the domain itself and for names below it, ignoring case.
bool is_host_below(std::string_view host, std::string_view domain) noexcept;

}  // namespace rollcall
