// Workers that compress their answers: nothing is decompressed, on the first call of a connection and on later ones.
#include <catch2/catch.hpp>

#include "net/grpc/answering_server.hpp"
#include "net/grpc/grpc_fixture.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("each compressed answer of a connection is refused without decompression", "[grpc]") {
  for (const grpc_compression_algorithm algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    // A small message, which would be harmless; one whose decompressed size is allowed; one that is larger than any limit.
    for (const std::size_t size : {std::size_t{1000}, std::size_t{4} << 20, std::size_t{64} << 20}) {
      INFO(size);
      const AnsweringServer server(std::string(size, '\0'), algorithm);
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
  const AnsweringServer small(std::string(1000, '\0'));
  const AnsweringServer large(std::string(64 << 20, '\0'));
  GrpcFixture client;
  const Result<RpcAnswer> taken = client.call(small.address());
  REQUIRE(taken.has_value());
  CHECK(taken->message.size() == 1000);
  const Result<RpcAnswer> refused = client.call(large.address());
  check_failure(refused, Errc::limit_exceeded, "too long");
}
