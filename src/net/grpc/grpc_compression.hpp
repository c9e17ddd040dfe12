// Messages come as they are, or not at all: gRPC unpacks a compressed one before it looks at the limit of its size, and three megabytes
// become three gigabytes. Only grpc_*.cpp files include gRPC.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/channel_arguments.h>

namespace grpc {
class ServerBuilder;
}

namespace rollcall {

/// Nothing is unpacked on such a channel or server. gRPC alone would refuse the first compressed message of a connection and unpack the
/// later ones, hence what arrives is to be asked whether it is_compressed() as well.
void take_no_compression(grpc::ChannelArguments& arguments);
void take_no_compression(grpc::ServerBuilder& builder);

bool is_compressed(const grpc::ByteBuffer& message) noexcept;

}  // namespace rollcall
