// Requests of endpoint discovery as clients encode them, and answers as they decode them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/xds/wire/discovery.hpp"
#include "xds.pb.h"

namespace rollcall::testing {

inline std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7f) | 0x80);
  return bytes + static_cast<char>(number);
}
/// A field with a text, or with another message.
inline std::string text_field(std::uint32_t number, std::string_view text) {
  return varint((number << 3) | 2) + varint(text.size()) + std::string(text);
}

/// A DiscoveryRequest. `error` empty: none.
inline std::string asked(std::string_view type_url, const std::vector<std::string>& names, std::string_view nonce = {},
                         std::string_view error = {}) {
  std::string bytes = text_field(2, text_field(1, "node-1"));
  for (const std::string& name : names) bytes += text_field(3, name);
  bytes += text_field(4, type_url);
  if (!nonce.empty()) bytes += text_field(5, nonce);
  if (!error.empty()) bytes += text_field(6, text_field(2, error));
  return bytes;
}
inline std::string asked(fleet::ResourceType type, const std::vector<std::string>& names, std::string_view nonce = {},
                         std::string_view error = {}) {
  return asked(type_url_of(type), names, nonce, error);
}

template <class Message>
Message read_as(std::string_view bytes) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) message.Clear();
  return message;
}
/// The value of an Any.
template <class Message>
Message within(std::string_view any) {
  return read_as<Message>(read_as<wire::xds::Any>(any).value());
}

/// `10.0.0.1:8470 10.0.0.2:8470!`: the second is not ready.
inline std::string endpoints_text(const wire::xds::ClusterLoadAssignment& assignment) {
  std::string text;
  for (const auto& group : assignment.endpoints()) {
    for (const auto& one : group.lb_endpoints()) {
      const auto& address = one.endpoint().address().socket_address();
      text += (text.empty() ? "" : " ") + address.address() + ":" + std::to_string(address.port_value());
      if (one.health_status() != 1) text += "!";
    }
  }
  return text;
}

}  // namespace rollcall::testing
