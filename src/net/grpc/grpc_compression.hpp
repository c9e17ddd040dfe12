// Refuses compressed messages: gRPC decompresses a message before it checks the size limit, and three megabytes become three gigabytes.
// Only grpc_*.cpp files include gRPC.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/channel_arguments.h>

namespace grpc {
class ServerBuilder;
}

namespace rollcall {

/// Disables decompression on such a channel or server. gRPC alone would refuse the first compressed message of a connection and decompress
/// later ones, hence is_compressed() must be checked for received messages as well.
void take_no_compression(grpc::ChannelArguments& arguments);
void take_no_compression(grpc::ServerBuilder& builder);

bool is_compressed(const grpc::ByteBuffer& message) noexcept;

}  // namespace rollcall
