// Workers that compress their answers: nothing is decompressed, on the first call of a connection and on later ones.
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <catch2/catch.hpp>

#include "net/grpc/grpc_fixture.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// Answers every call with `size` zeros, compressed by `algorithm`.
class CompressingServer final : public grpc::CallbackGenericService {
 public:
  CompressingServer(std::size_t size, grpc_compression_algorithm algorithm) : zeros_(size, '\0'), algorithm_(algorithm) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
  }
  ~CompressingServer() override { server_->Shutdown(std::chrono::system_clock::now()); }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    context->set_compression_algorithm(algorithm_);
    return new Call(zeros_);
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

  std::string zeros_;
  grpc_compression_algorithm algorithm_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

TEST_CASE("each compressed answer of a connection is refused without decompression", "[grpc]") {
  for (const grpc_compression_algorithm algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    // A small message, which would be harmless; one whose decompressed size is allowed; one that is larger than any limit.
    for (const std::size_t size : {std::size_t{1000}, std::size_t{4} << 20, std::size_t{64} << 20}) {
      INFO(size);
      const CompressingServer server(size, algorithm);
      GrpcFixture client;
      for (int i = 0; i < 3; ++i) {
        const Result<RpcAnswer> answer = client.call(server.address());
        REQUIRE(answer.has_error());
        const Failure failure = answer.error();
        CHECK(failure.code() == Errc::limit_exceeded);
        CHECK_THAT(failure.message(), Catch::Contains("compressed") && Catch::Contains(server.address()));
      }
    }
  }
}

TEST_CASE("plain answers are taken up to the limit", "[grpc]") {
  const CompressingServer small(1000, GRPC_COMPRESS_NONE);
  const CompressingServer large(64 << 20, GRPC_COMPRESS_NONE);
  GrpcFixture client;
  const Result<RpcAnswer> taken = client.call(small.address());
  REQUIRE(taken.has_value());
  CHECK(taken->message.size() == 1000);
  const Result<RpcAnswer> refused = client.call(large.address());
  check_failure(refused, Errc::limit_exceeded, "too long");
}
