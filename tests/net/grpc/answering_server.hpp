// A gRPC server that answers every call with the same bytes.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace rollcall::testing {

class AnsweringServer final : public grpc::CallbackGenericService {
 public:
  explicit AnsweringServer(std::string answer, grpc_compression_algorithm algorithm = GRPC_COMPRESS_NONE,
                           const std::string& listen_on = "127.0.0.1:0")
      : answer_(std::move(answer)), algorithm_(algorithm) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(listen_on, grpc::InsecureServerCredentials(), &port_);
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
  }
  ~AnsweringServer() override { server_->Shutdown(std::chrono::system_clock::now()); }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    context->set_compression_algorithm(algorithm_);
    return new Call(answer_);
  }

 private:
  class Call final : public grpc::ServerGenericBidiReactor {
   public:
    explicit Call(const std::string& answer) {
      const grpc::Slice slice(answer);
      answer_ = grpc::ByteBuffer(&slice, 1);
      StartRead(&request_);
    }
    void OnReadDone(bool) override { StartWriteAndFinish(&answer_, grpc::WriteOptions(), grpc::Status::OK); }
    void OnDone() override { delete this; }

   private:
    grpc::ByteBuffer request_;
    grpc::ByteBuffer answer_;
  };

  std::string answer_;
  grpc_compression_algorithm algorithm_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace rollcall::testing
