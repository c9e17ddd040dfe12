// Validates addresses from services. The one rule for all documents: refused text gets into no cluster, and so into no command, variable,
// hook or file.
#pragma once

#include <string>
#include <string_view>

namespace rollcall {

/// `text` if it is an IPv4 or IPv6 literal, without its brackets; else empty. IPv6 zones are refused, since they are valid only on the
/// service's machine.
std::string_view service_ip(std::string_view text) noexcept;

/// The same, or a host name: at most 253 letters, digits, hyphens, underscores and dots, no label empty or with a hyphen in front, which a
/// program would take for an option. A last dot is allowed. Source: RFC 1123, 2.1, plus underscores, which occur in DNS names.
std::string_view service_host(std::string_view text) noexcept;

/// `'evil,10.0.0.1', not an address`: safe to print.
std::string not_an_address(std::string_view text);

/// True if it is `host:port` or a host, and service_host() takes the host.
bool is_member_address(std::string_view text);

/// The complaint about a job's name, empty if there is none: `is 'a\x0a', no name of a job`. A name must be printable in one line.
std::string job_name_fault(std::string_view name);

}  // namespace rollcall
