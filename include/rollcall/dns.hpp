// The interface to name servers: records of a name, with their time to live. Only resolvers that list the records of a name (`dns:`) use
// it; connections look up their hosts in the transports.
#pragma once

#include <asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// The type of record.
enum class DnsType {
  a,     ///< IPv4 addresses
  aaaa,  ///< IPv6 addresses
  srv,   ///< services
};

class DnsEntry {
 public:
  DnsEntry() {}
  std::string host;               ///< an address, or the name of a service's host
  std::uint16_t port = 0;         ///< SRV only
  std::uint16_t priority = 0;     ///< SRV only
  std::uint16_t weight = 0;       ///< SRV only
  std::chrono::seconds ttl{0};
};

/// Queries name servers. All calls are made on one serial executor. Cancellation (Asio's, terminal) ends a query at once with an exception
/// or with Errc::cancelled, and releases its resources. A query for which no descriptor is free waits for one.
class DnsTransport {
 public:
  virtual ~DnsTransport() = default;
  /// The records of a name, in the server's order; none when the name has no record of the type. Truncated answers are requested again over
  /// TCP. Errors: unknown_host (no such name), unreachable (the servers fail or refuse), resolve_timeout (they do not answer),
  /// malformed_response, limit_exceeded (more than `max_records`), invalid_argument (the list of servers).
  virtual asio::awaitable<Result<std::vector<DnsEntry>>> query(std::string name, DnsType type, std::size_t max_records) = 0;
};

}  // namespace rollcall
