// Routes the library's transports to the fake servers of a case.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/case.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall::conformance {

/// The case's https hosts that are addresses: their certificate must contain them.
std::vector<std::string> tls_addresses(const Case& the_case);
/// The case's https hosts, without ports.
std::vector<std::string> https_hosts(const Case& the_case);
/// The hosts that the metadata server's probe may contact, with the port when it is not 80.
std::vector<std::string> metadata_hosts(const Case& the_case);

/// Each host of the case's entries at its listener. Unknown hosts go to a listener by their port, too, and are reported there.
NetworkOptions towards_servers(const Case& the_case, const std::string& ca_file, std::uint16_t http_port, std::uint16_t https_port);
/// The case's gRPC targets at their listener; everything else is refused.
NetworkOptions towards_grpc(const Case& the_case, std::uint16_t grpc_port, std::uint16_t silent_port);
/// Everything at one port.
NetworkOptions towards_port(const std::string& ca_file, std::uint16_t port);
NetworkOptions with_dns_server(const std::string& ca_file, const std::string& server);

}  // namespace rollcall::conformance
