#include "net/codec/rpc_messages.hpp"

#include "base/text.hpp"
#include "base/url.hpp"
#include "base/wiped_buffer.hpp"

namespace rollcall {
namespace {

constexpr std::size_t prefix_bytes = 5;  // whether it is compressed, and its size

unsigned byte_at(std::string_view bytes, std::size_t place) noexcept { return static_cast<unsigned char>(bytes[place]); }

}  // namespace

RpcMessageReader::~RpcMessageReader() { clear_and_wipe(content_); }

void RpcMessageReader::put(std::string_view content) {
  if (fault_ != Fault::none) return;
  append_and_wipe(content_, content);
  read_early();
}

std::string RpcMessageReader::take() {
  std::string message = content_.substr(prefix_bytes, size_);
  drop_front_and_wipe(content_, prefix_bytes + size_);
  if (content_.empty()) std::string().swap(content_);
  read_early();
  return message;
}

void RpcMessageReader::read_early() noexcept {
  is_whole_ = false;
  if (content_.size() < prefix_bytes) return;
  size_ = std::size_t{byte_at(content_, 1)} << 24 | byte_at(content_, 2) << 16 | byte_at(content_, 3) << 8 | byte_at(content_, 4);
  if (content_[0] != 0) fault_ = Fault::compressed;
  if (fault_ == Fault::none && size_ > message_bytes_) fault_ = Fault::too_long;
  if (fault_ != Fault::none) return clear_and_wipe(content_);
  is_whole_ = content_.size() - prefix_bytes >= size_;
}

std::string rpc_prefix(std::size_t size) {
  std::string prefix(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8) prefix += static_cast<char>(size >> shift & 0xff);
  return prefix;
}

bool is_rpc_content_type(std::string_view value) noexcept {
  constexpr std::string_view plain = "application/grpc";
  if (value.size() < plain.size() || !equals_ignoring_case(value.substr(0, plain.size()), plain)) return false;
  return value.size() == plain.size() || value[plain.size()] == '+' || value[plain.size()] == ';';
}

std::string rpc_status_text(std::string_view message) {
  return percent_encode(message.substr(0, 1024), " !\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~");
}

}  // namespace rollcall
