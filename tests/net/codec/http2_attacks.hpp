// What servers of HTTP/2 send that brings no answer forward, in frames.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "net/codec/http2_frames.hpp"

namespace rollcall::testing {

class Attack {
 public:
  std::string_view name;
  std::function<std::string(std::uint32_t stream)> frames;          // again and again
  std::function<std::string(std::uint32_t stream)> before = nothing;  // once

  static std::string nothing(std::uint32_t) { return {}; }
};

inline std::string head_of(std::uint32_t stream, const SentFields& fields, std::uint8_t flags = flag_end_headers) {
  std::string block;
  for (const auto& [name, value] : fields) block += hpack_field(name, value);
  return frame(FrameType::headers, flags, stream, block);
}

inline const std::vector<Attack>& attacks() {
  static const std::vector<Attack> all{
      {"empty DATA", [](std::uint32_t s) { return frame(FrameType::data, 0, s, ""); }},
      {"padded DATA", [](std::uint32_t s) { return frame(FrameType::data, 8, s, std::string(1, '\xff') + std::string(255, '\0')); }},
      {"unknown frames", [](std::uint32_t s) { return frame(static_cast<FrameType>(0xbe), 0, s, "x"); }},
      {"window updates", [](std::uint32_t) { return frame(FrameType::window_update, 0, 0, big_endian(1, 4)); }},
      {"window updates of the stream", [](std::uint32_t s) { return frame(FrameType::window_update, 0, s, big_endian(1, 4)); }},
      {"a window that overflows", [](std::uint32_t) { return frame(FrameType::window_update, 0, 0, big_endian(0x7fffffff, 4)); }},
      {"interim answers", [](std::uint32_t s) { return head_of(s, {{":status", "103"}}); }},
      {"PINGs", [](std::uint32_t) { return frame(FrameType::ping, 0, 0, "12345678"); }},
      {"settings", [](std::uint32_t) { return frame(FrameType::settings, 0, 0, big_endian(4, 2) + big_endian(65535, 4)); }},
      {"a table of 1 GiB", [](std::uint32_t) { return frame(FrameType::settings, 0, 0, big_endian(1, 2) + big_endian(1 << 30, 4)); }},
      {"CONTINUATION", [](std::uint32_t s) { return frame(FrameType::continuation, 0, s, ""); },
       [](std::uint32_t s) { return frame(FrameType::headers, 0, s, hpack_field(":status", "200")); }},
      {"priorities", [](std::uint32_t s) { return frame(FrameType::priority, 0, s, std::string(5, '\0')); }},
      {"a push", [](std::uint32_t s) { return frame(FrameType::push_promise, flag_end_headers, s, big_endian(2, 4) + call_head("/x")); }},
      {"a head of references",
       [](std::uint32_t s) {
         std::string block = hpack_field("a", std::string(3900, 'v'), true);
         return frame(FrameType::headers, flag_end_headers, s, hpack_field(":status", "200") + block + std::string(10'000, '\xbe'));
       }},
      {"heads without end", [](std::uint32_t s) { return head_of(s, {{":status", "200"}}); }},
      {"refused", [](std::uint32_t s) { return frame(FrameType::rst_stream, 0, s, big_endian(7, 4)); }},
      {"GOAWAY", [](std::uint32_t) { return frame(FrameType::goaway, 0, 0, std::string(8, '\0')); }},
  };
  return all;
}

}  // namespace rollcall::testing
