// Records out of a name server's answer.
#pragma once

#include <string_view>
#include <vector>

#include "rollcall/dns.hpp"

namespace rollcall {

/// The records of `type` in the answer section, in order, each once; aliases before them shorten their time to live. Any bytes are
/// safe. Errors: malformed_response, limit_exceeded.
Result<std::vector<DnsEntry>> parse_dns_answer(std::string_view bytes, DnsType type, std::size_t max_records);

}  // namespace rollcall
