// IP address literals, told apart from names without any look-up.
#pragma once

#include <string_view>

namespace rollcall {

/// Four decimal numbers, `10.0.0.1`.
bool is_ipv4_literal(std::string_view text) noexcept;
/// Without brackets; `allow_zone` permits `fe80::1%eth0`.
bool is_ipv6_literal(std::string_view text, bool allow_zone) noexcept;
/// An address in 127.0.0.0/8, also as IPv6 has it (`::ffff:127.0.0.1`), or `::1`; no brackets, a zone does not matter.
bool is_loopback_literal(std::string_view text) noexcept;
/// `localhost` and names below it, which mean this machine without being asked for (RFC 6761); a last dot does not matter.
bool is_localhost(std::string_view name) noexcept;

}  // namespace rollcall
