// Questions to name servers, by c-ares.
#pragma once

#include <asio/any_io_executor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "async/timer_queue.hpp"
#include "rollcall/dns.hpp"

namespace rollcall {

/// `servers` are `ip[:port]`; empty: the system's. The system's search domains are tried as usual.
std::shared_ptr<DnsTransport> make_dns_transport(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers,
                                                 std::vector<std::string> servers);

}  // namespace rollcall
