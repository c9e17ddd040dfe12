// Converts Asio's addresses to those of base/ip.hpp.
#pragma once

#include <asio/ip/address.hpp>

#include "base/ip.hpp"

namespace rollcall {

inline IpBytes bytes_of(const asio::ip::address& address) {
  if (address.is_v6()) return address.to_v6().to_bytes();
  return asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4()).to_bytes();
}

}  // namespace rollcall
