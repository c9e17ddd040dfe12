// Records out of a name server's answer.
#pragma once

#include <string_view>
#include <vector>

#include "rollcall/dns.hpp"

namespace rollcall {

/// The records of `type` in the answer section, in order, each once (of a service named twice: the preferred one); aliases before them
/// shorten their time to live. Hosts of services are host names in small letters, or empty: "no such service" (RFC 2782). Any bytes
/// are safe. Errors: malformed_response, limit_exceeded, unreachable (it says no success).
Result<std::vector<DnsEntry>> parse_dns_answer(std::string_view bytes, DnsType type, std::size_t max_records);

}  // namespace rollcall
