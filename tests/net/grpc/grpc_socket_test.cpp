// gRPC over a socket of this machine.
#include <catch2/catch.hpp>
#include <filesystem>

#include "base/url.hpp"
#include "net/grpc/answering_server.hpp"
#include "net/grpc/grpc_fixture.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// `unix:///…` of a socket in a folder of its own; gRPC's URIs have escapes, these addresses have none.
class SocketPlace {
 public:
  explicit SocketPlace(const std::string& name) {
    std::string made = (std::filesystem::temp_directory_path() / "rollcall-XXXXXX").string();
    REQUIRE(::mkdtemp(made.data()));
    folder_ = made;
    path = folder_ / name;
  }
  ~SocketPlace() { std::filesystem::remove_all(folder_); }
  SocketPlace(const SocketPlace&) = delete;
  SocketPlace& operator=(const SocketPlace&) = delete;
  std::string address() const { return "unix://" + path.string(); }
  std::filesystem::path path;

 private:
  std::filesystem::path folder_;
};

}  // namespace

TEST_CASE("a server on a socket of this machine answers", "[grpc]") {
  NetworkOptions network;
  network.connect_to.push_back(ConnectTo::parse("::127.0.0.1:1").value());  // is of hosts
  for (const char* const name : {"health.sock", "a b%41?c#d.sock"}) {
    CAPTURE(name);
    const SocketPlace place(name);
    const AnsweringServer server("here", GRPC_COMPRESS_NONE, "unix:" + percent_encode(place.path.string(), "/"));
    REQUIRE(std::filesystem::exists(place.path));
    GrpcFixture client(network);
    const Result<RpcAnswer> answer = client.call(place.address());
    REQUIRE(answer.has_value());
    CHECK(answer->message == "here");
  }
}

TEST_CASE("a socket that is not there is unreachable", "[grpc]") {
  const SocketPlace place("none.sock");
  GrpcFixture client;
  const Result<RpcAnswer> answer = client.call(place.address());
  REQUIRE(answer.has_error());
  CHECK(answer.error().code() == Errc::unreachable);
  CHECK_THAT(answer.error().message(), Catch::Contains(place.address() + ": there is no such socket"));
}
