// HTTP/2 frames as a client writes them by hand, valid or not, and as it reads them.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rollcall::testing {

enum class FrameType : std::uint8_t {
  data,
  headers,
  priority,
  rst_stream,
  settings,
  push_promise,
  ping,
  goaway,
  window_update,
  continuation
};
inline constexpr std::uint8_t flag_end_stream = 1;  // of SETTINGS and PING: it is an acknowledgement
inline constexpr std::uint8_t flag_end_headers = 4;
inline constexpr std::string_view client_preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

inline std::string big_endian(std::uint32_t number, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xff);
  return out;
}
inline std::string frame(FrameType type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
  const std::uint32_t size = static_cast<std::uint32_t>(payload.size());
  return big_endian(size, 3) + static_cast<char>(type) + static_cast<char>(flags) + big_endian(stream, 4) + std::string(payload);
}
/// A client's first bytes.
inline std::string greeting() { return std::string(client_preface) + frame(FrameType::settings, 0, 0, ""); }

/// HPACK: a length below 16,384 in a prefix of 7 bits.
inline std::string hpack_text(std::string_view text) {
  std::string size(1, static_cast<char>(text.size() < 127 ? text.size() : 127));
  if (text.size() >= 127) {
    std::size_t rest = text.size() - 127;
    for (; rest >= 128; rest /= 128) size += static_cast<char>(rest % 128 + 128);
    size += static_cast<char>(rest);
  }
  return size + std::string(text);
}
/// A field that is not indexed, or one that is from then on.
inline std::string hpack_field(std::string_view name, std::string_view value, bool is_indexed = false) {
  return std::string(1, is_indexed ? '\x40' : '\0') + hpack_text(name) + hpack_text(value);
}

using SentFields = std::vector<std::pair<std::string, std::string>>;
/// The head of a call, with more fields.
inline std::string call_head(std::string_view path, const SentFields& more = {}) {
  std::string block = hpack_field(":method", "POST") + hpack_field(":scheme", "http") + hpack_field(":path", path) +
                      hpack_field(":authority", "h") + hpack_field("content-type", "application/grpc") + hpack_field("te", "trailers");
  for (const auto& [name, value] : more) block += hpack_field(name, value);
  return block;
}
inline std::string call_begin(std::uint32_t stream, std::string_view path, std::uint8_t flags = flag_end_headers) {
  return frame(FrameType::headers, flags, stream, call_head(path));
}
/// gRPC's message in a frame of its own.
inline std::string message_frame(std::uint32_t stream, std::string_view message, std::uint8_t flags = 0) {
  return frame(FrameType::data, flags, stream,
               std::string(1, '\0') + big_endian(static_cast<std::uint32_t>(message.size()), 4) + std::string(message));
}

class HeardFrame {
 public:
  FrameType type;
  std::uint8_t flags;
  std::uint32_t stream;
  std::string payload;
  /// The error code of a RST_STREAM or GOAWAY.
  std::uint32_t code() const {
    const std::size_t at = type == FrameType::goaway ? 4 : 0;
    std::uint32_t number = 0;
    for (std::size_t i = at; i < at + 4; ++i) number = number << 8 | static_cast<unsigned char>(payload.at(i));
    return number;
  }
};
inline constexpr std::uint32_t no_error = 0;
inline constexpr std::uint32_t enhance_your_calm = 11;

/// Those that are complete.
inline std::vector<HeardFrame> frames_of(std::string_view bytes) {
  std::vector<HeardFrame> frames;
  const auto at = [&bytes](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
  while (bytes.size() >= 9) {
    const std::size_t size = at(0) << 16 | at(1) << 8 | at(2);
    if (bytes.size() < 9 + size) break;
    const std::uint32_t stream = (at(5) & 0x7f) << 24 | at(6) << 16 | at(7) << 8 | at(8);
    frames.push_back({static_cast<FrameType>(at(3)), static_cast<std::uint8_t>(at(4)), stream, std::string(bytes.substr(9, size))});
    bytes.remove_prefix(9 + size);
  }
  return frames;
}
/// The fields of all heads, a line each: `grpc-status: 0`.
inline std::string fields_of(const std::vector<HeardFrame>& frames) {
  nghttp2_hd_inflater* inflater = nullptr;
  std::string text;
  if (nghttp2_hd_inflate_new(&inflater) != 0) return text;
  for (const HeardFrame& one : frames) {
    if (one.type != FrameType::headers) continue;
    const auto* at = reinterpret_cast<const std::uint8_t*>(one.payload.data());
    const auto* const end = at + one.payload.size();
    for (int flags = NGHTTP2_HD_INFLATE_NONE; (flags & NGHTTP2_HD_INFLATE_FINAL) == 0;) {
      nghttp2_nv field{};
      const auto taken = nghttp2_hd_inflate_hd2(inflater, &field, &flags, at, static_cast<std::size_t>(end - at), 1);
      if (taken < 0) break;
      at += taken;
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) == 0) continue;
      text.append(reinterpret_cast<const char*>(field.name), field.namelen).append(": ");
      text.append(reinterpret_cast<const char*>(field.value), field.valuelen).append("\n");
    }
    nghttp2_hd_inflate_end_headers(inflater);
  }
  nghttp2_hd_inflate_del(inflater);
  return text;
}
inline std::size_t count_of(const std::vector<HeardFrame>& frames, FrameType type) {
  std::size_t count = 0;
  for (const HeardFrame& one : frames) count += one.type == type ? 1 : 0;
  return count;
}
/// Of the last GOAWAY; absent: 0xffffffff.
inline std::uint32_t goaway_of(const std::vector<HeardFrame>& frames) {
  std::uint32_t code = 0xffffffff;
  for (const HeardFrame& one : frames) code = one.type == FrameType::goaway ? one.code() : code;
  return code;
}

}  // namespace rollcall::testing
