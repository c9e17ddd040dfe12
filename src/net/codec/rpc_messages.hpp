// gRPC's message framing within the content of an HTTP/2 stream. Pure. Source: grpc/grpc doc/PROTOCOL-HTTP2.md.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rollcall {

/// Splits content into messages.
class RpcMessageReader {
 public:
  enum class Fault { none, compressed, too_long };
  /// `message_bytes`: limit of one message.
  explicit RpcMessageReader(std::size_t message_bytes) : message_bytes_(message_bytes) {}
  ~RpcMessageReader();
  RpcMessageReader(const RpcMessageReader&) = delete;
  RpcMessageReader& operator=(const RpcMessageReader&) = delete;

  /// After a fault all data is dropped.
  void put(std::string_view content);
  Fault fault() const noexcept { return fault_; }
  bool has_message() const noexcept { return is_whole_; }
  /// May be called only while has_message() is true.
  std::string take();
  /// Number of stored bytes.
  std::size_t held() const noexcept { return content_.size(); }

 private:
  void read_early() noexcept;

  std::size_t message_bytes_;
  std::string content_;
  std::size_t size_ = 0;  // of the first message, once its prefix is complete
  bool is_whole_ = false;
  Fault fault_ = Fault::none;
};

/// The prefix of a message of that size.
std::string rpc_prefix(std::size_t size);
/// True for `application/grpc`, with a suffix or parameters if any.
bool is_rpc_content_type(std::string_view value) noexcept;
/// A status message in the encoding of `grpc-message`, truncated to 1 kB.
std::string rpc_status_text(std::string_view message);

}  // namespace rollcall
