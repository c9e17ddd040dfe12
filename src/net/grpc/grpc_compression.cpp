#include "net/grpc/grpc_compression.hpp"

#include <grpc/byte_buffer.h>
#include <grpc/compression.h>
#include <grpcpp/server_builder.h>

namespace rollcall {
namespace {

// ByteBuffer has no public member for its compression. An explicit instantiation may name a private member, and makes it accessible.
template <grpc_byte_buffer* grpc::ByteBuffer::* Member>
struct BufferMember {
  friend const grpc_byte_buffer* raw_buffer(const grpc::ByteBuffer& message) noexcept { return message.*Member; }
};
const grpc_byte_buffer* raw_buffer(const grpc::ByteBuffer& message) noexcept;
template struct BufferMember<&grpc::ByteBuffer::buffer_>;

constexpr int identity_only = 1 << GRPC_COMPRESS_NONE;

}  // namespace

void take_no_compression(grpc::ChannelArguments& arguments) {
  arguments.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, identity_only);
  arguments.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
}

void take_no_compression(grpc::ServerBuilder& builder) {
  builder.AddChannelArgument(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, identity_only);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
}

bool is_compressed(const grpc::ByteBuffer& message) noexcept {
  const grpc_byte_buffer* const raw = raw_buffer(message);
  return raw && raw->type == GRPC_BB_RAW && raw->data.raw.compression != GRPC_COMPRESS_NONE;
}

}  // namespace rollcall
