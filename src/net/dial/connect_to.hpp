// The connect-to map: addresses that replace a host and port.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/runtime.hpp"

namespace rollcall {

class Destination {
 public:
  Destination(std::string destination_host, std::uint16_t destination_port) : host(std::move(destination_host)), port(destination_port) {}
  std::string host;
  std::uint16_t port;
};

/// The first rule that matches is used; without one the destination is the host itself.
Destination apply_connect_to(const std::vector<ConnectTo>& rules, std::string_view host, std::uint16_t port);

}  // namespace rollcall
