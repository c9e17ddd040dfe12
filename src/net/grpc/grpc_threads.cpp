#include "net/grpc/grpc_threads.hpp"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include <chrono>
#include <memory>

namespace rollcall {
namespace {

// A call that was over before it began, on a channel of its own. Never freed.
class Forgotten {
 public:
  Forgotten() : channel_(grpc::CreateChannel("ipv4:127.0.0.1:1", grpc::InsecureChannelCredentials())) {
    context_.set_deadline(std::chrono::system_clock::time_point());
    const grpc::Slice nothing;
    request_ = grpc::ByteBuffer(&nothing, 1);
    grpc::GenericStub stub(channel_);
    stub.UnaryCall(&context_, "/none", grpc::StubOptions(), &request_, &answer_, [](const grpc::Status&) {});
  }

 private:
  std::shared_ptr<grpc::Channel> channel_;
  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer answer_;
};

}  // namespace

void keep_grpc_callback_threads() {
  static const auto* const kept = new Forgotten;
  static_cast<void>(kept);
}

}  // namespace rollcall
