// A gRPC server of long-lived calls, and gRPC's own clients, which misbehave.
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include <asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

#include "net/server/http_server.hpp"
#include "net/server/rpc_call.hpp"
#include "rollcall/testing/fake_time.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

constexpr const char* open_method = "/interop.Open/Talk";

// The server's loop runs in the test's thread; clients are gRPC's own, in gRPC's threads.
class OpenServer {
 public:
  explicit OpenServer(std::size_t streams = 1000) : server(io.get_executor(), nullptr, limits(), std::make_shared<FakeTime>()) {
    RpcMethod method;
    method.path = open_method;
    method.streams = streams;
    method.on_stream = [this](std::unique_ptr<RpcServerStream> stream) { open.push_back(std::move(stream)); };
    port = value_of(server.listen_rpc("127.0.0.1", 0, {}, method));
  }
  ~OpenServer() {
    server.stop();
    io.restart();
    io.poll();
  }
  static ServerLimits limits() {
    ServerLimits limits;
    limits.body_bytes = 1000;
    return limits;
  }
  /// Runs the loop until the condition holds; false: it did not within 20 s.
  bool until(const std::function<bool()>& is_so) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    io.restart();
    while (!is_so()) {
      if (std::chrono::steady_clock::now() > end) return false;
      io.run_one_for(10ms);
      io.restart();
    }
    return true;
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(port); }

  asio::io_context io{1};
  std::vector<std::unique_ptr<RpcServerStream>> open;
  HttpServer server;
  std::uint16_t port = 0;
};

// A proxy of the environment cannot reach the server's loopback address.
std::shared_ptr<grpc::Channel> channel_to(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

// A client's side of a call. It reads only when the test says so.
class OpenCall final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  OpenCall(const std::string& address, const char* method = open_method) : stub_(channel_to(address)) {
    context_.set_wait_for_ready(true);
    context_.AddMetadata("authorization", "Bearer t");
    stub_.PrepareBidiStreamingCall(&context_, method, grpc::StubOptions(), this);
    AddHold();
    StartCall();
  }
  ~OpenCall() override {
    leave();
    std::unique_lock lock(mutex_);
    news_.wait(lock, [this] { return status_.has_value(); });
  }
  /// One at a time.
  void send(const std::string& message) {
    const grpc::Slice slice(message);
    outgoing_ = grpc::ByteBuffer(&slice, 1);
    StartWrite(&outgoing_);
  }
  void read() { StartRead(&incoming_); }
  void leave() {
    context_.TryCancel();
    if (!std::exchange(has_let_go_, true)) RemoveHold();
  }
  /// In the other side's words. All started operations have ended then.
  std::optional<grpc::Status> status() {
    if (!std::exchange(has_let_go_, true)) RemoveHold();
    const std::lock_guard lock(mutex_);
    return status_;
  }
  std::string heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

  void OnReadDone(bool is_there) override {
    std::vector<grpc::Slice> slices;
    if (!is_there || !incoming_.Dump(&slices).ok()) return;
    const std::lock_guard lock(mutex_);
    for (const grpc::Slice& slice : slices) heard_.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  void OnDone(const grpc::Status& status) override {
    const std::lock_guard lock(mutex_);
    status_ = status;
    news_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable news_;
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
  std::string heard_;
  std::optional<grpc::Status> status_;
  bool has_let_go_ = false;
};

}  // namespace

TEST_CASE("A call stays open in both directions, and ends with the server's status", "[grpc]") {
  OpenServer t;
  OpenCall call(t.address());
  REQUIRE(t.until([&t] { return t.open.size() == 1; }));
  RpcServerStream& stream = *t.open.front();
  CHECK(stream.request().target == open_method);
  CHECK(stream.request().peer == "127.0.0.1");
  CHECK(stream.request().headers.get("authorization") == "Bearer t");
  CHECK_FALSE(stream.request().is_https);
  for (const std::string& word : {std::string("one"), std::string("two")}) {
    call.send(word);
    std::optional<std::string> message;
    REQUIRE(t.until([&] { return (message = stream.take_message()).has_value(); }));
    CHECK(*message == word);
    REQUIRE(t.until([&stream] { return stream.is_writable(); }));
    stream.write(SharedBytes("<" + word + ">"));
    call.read();
    REQUIRE(t.until([&] { return call.heard().ends_with("<" + word + ">"); }));
  }
  REQUIRE(t.until([&stream] { return stream.is_writable(); }));
  stream.finish(RpcStatus::unauthenticated, "over");
  REQUIRE(t.until([&call] { return call.status().has_value(); }));
  CHECK(call.status()->error_code() == grpc::StatusCode::UNAUTHENTICATED);
  CHECK(call.status()->error_message() == "over");
  CHECK(stream.is_closed());
}

TEST_CASE("A client that goes is detected, with and without data in flight", "[grpc]") {
  OpenServer t;
  OpenCall idle(t.address());
  REQUIRE(t.until([&t] { return t.open.size() == 1; }));
  idle.leave();
  REQUIRE(t.until([&t] { return t.open.front()->is_closed(); }));
  OpenCall deaf(t.address());
  REQUIRE(t.until([&t] { return t.open.size() == 2; }));
  RpcServerStream& stream = *t.open.back();
  // It reads nothing: written data fills the buffers, and then waits.
  const std::string much(4 << 20, 'x');
  stream.write(SharedBytes(much));
  CHECK_FALSE(stream.is_writable());
  t.io.run_for(50ms);
  CHECK_FALSE(stream.is_writable());
  deaf.leave();
  REQUIRE(t.until([&stream] { return stream.is_closed(); }));
}

TEST_CASE("A call of a client that reads nothing can be ended", "[grpc]") {
  OpenServer t(1);
  OpenCall deaf(t.address());
  REQUIRE(t.until([&t] { return t.open.size() == 1; }));
  t.open.front()->write(SharedBytes(std::string(4 << 20, 'x')));
  t.open.clear();
  // Its place is free.
  for (int tries = 0; tries < 100 && t.open.empty(); ++tries) {
    OpenCall next(t.address());
    REQUIRE(t.until([&] { return !t.open.empty() || next.status(); }));
  }
  CHECK(t.open.size() == 1);
}

TEST_CASE("Another method, a long message and too many calls are refused", "[grpc]") {
  OpenServer t(1);
  OpenCall other(t.address(), "/interop.Open/Listen");
  REQUIRE(t.until([&other] { return other.status().has_value(); }));
  CHECK(other.status()->error_code() == grpc::StatusCode::UNIMPLEMENTED);
  OpenCall first(t.address());
  REQUIRE(t.until([&t] { return t.open.size() == 1; }));
  OpenCall second(t.address());
  REQUIRE(t.until([&second] { return second.status().has_value(); }));
  CHECK(second.status()->error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED);
  first.send(std::string(2000, 'x'));
  REQUIRE(t.until([&t] { return t.open.front()->is_closed(); }));
  CHECK_FALSE(t.open.front()->take_message());
  t.open.clear();
  REQUIRE(t.until([&first] { return first.status().has_value(); }));
  // gRPC may notify the client of the end before the server, whose place is then still taken.
  std::optional<OpenCall> third;
  CHECK(t.until([&] {
    if (!third || third->status()) third.emplace(t.address());
    return t.open.size() == 1;
  }));
}

TEST_CASE("A server that stops ends its calls, including those without a handler", "[grpc]") {
  OpenServer t;
  OpenCall taken(t.address());
  REQUIRE(t.until([&t] { return t.open.size() == 1; }));
  OpenCall other(t.address());
  REQUIRE(t.until([&t] { return t.open.size() == 2; }));
  t.open.pop_back();
  t.server.stop();
  t.server.stop();
  REQUIRE(t.until([&] { return taken.status() && other.status(); }));
  CHECK(taken.status()->error_code() == grpc::StatusCode::UNAVAILABLE);
  CHECK(t.open.front()->is_closed());
}
