// Reads a protobuf message field by field, to count elements before it is unpacked; and writes one of texts alone.
#pragma once

#include <google/protobuf/io/coded_stream.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rollcall {

/// Tags of fields: texts, bytes and messages; numbers as varints.
constexpr std::uint32_t bytes_field(std::uint32_t number) { return (number << 3) | 2; }
constexpr std::uint32_t number_field(std::uint32_t number) { return number << 3; }

/// Appends a field that has the `tag` bytes_field(): less than 4 GiB.
inline void append_bytes(std::string& message, std::uint32_t tag, std::string_view bytes) {
  using Writer = google::protobuf::io::CodedOutputStream;
  std::uint8_t head[10];
  std::uint8_t* const end = Writer::WriteVarint32ToArray(static_cast<std::uint32_t>(bytes.size()), Writer::WriteVarint32ToArray(tag, head));
  message.append(&head[0], end).append(bytes);
}

/// Calls `take(tag, number, bytes)` for each field with the arguments of its type; it returns false to stop. Returns false also for bytes
/// that are no message: truncated, a field with the number 0, or a group.
template <class Take>
bool read_fields(std::string_view bytes, const Take& take) {
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  while (const std::uint32_t tag = in.ReadTag()) {
    std::uint64_t number = 0;
    std::uint32_t small = 0;
    std::string_view text;
    bool is_fine = tag >> 3 != 0;
    switch (tag & 7u) {
      case 0: is_fine = is_fine && in.ReadVarint64(&number); break;
      case 1: is_fine = is_fine && in.ReadLittleEndian64(&number); break;
      case 5: is_fine = is_fine && in.ReadLittleEndian32(&small); break;
      case 2: {
        is_fine = is_fine && in.ReadVarint32(&small);
        const auto at = static_cast<std::size_t>(in.CurrentPosition());
        is_fine = is_fine && small <= bytes.size() - at && in.Skip(static_cast<int>(small));
        if (is_fine) text = bytes.substr(at, small);
        break;
      }
      default: return false;
    }
    if (!is_fine || !take(tag, number, text)) return false;
  }
  return in.ConsumedEntireMessage() && static_cast<std::size_t>(in.CurrentPosition()) == bytes.size();
}

}  // namespace rollcall
