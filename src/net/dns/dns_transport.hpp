// DNS queries by c-ares.
#pragma once

#include <asio/any_io_executor.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/timer_queue.hpp"
#include "rollcall/dns.hpp"

namespace rollcall {

/// `servers` are `ip[:port]`; empty: the system's. The system's search domains are tried as usual.
std::shared_ptr<DnsTransport> make_dns_transport(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers,
                                                 std::vector<std::string> servers);

/// The records of `type` in the answer section, in order, each once (of a service named twice: the preferred one); aliases before them
/// shorten their time to live. Hosts of services are host names in lower case, or empty: "no such service" (RFC 2782). Safe for any bytes.
/// Errors: malformed_response, limit_exceeded, unreachable (an error code).
Result<std::vector<DnsEntry>> parse_dns_answer(std::string_view bytes, DnsType type, std::size_t max_records);

}  // namespace rollcall
