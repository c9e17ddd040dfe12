// gRPC over real sockets: answers, refusals, peers of other kinds, cancellation, and loops that end early.
#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>
#include <catch2/catch.hpp>

#include "net/grpc/grpc_fixture.hpp"
#include "rollcall/sim.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using asio::ip::tcp;

namespace {

std::string address_of(const tcp::acceptor& acceptor) { return "127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()); }

tcp::acceptor listen(asio::io_context& io) { return tcp::acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)); }

// Sends `text` to the first client, and closes.
void speak(tcp::acceptor& acceptor, std::string text) {
  acceptor.async_accept([text = std::move(text)](const std::error_code& error, tcp::socket socket) {
    std::error_code ignored;
    if (!error) asio::write(socket, asio::buffer(text), ignored);
  });
}

}  // namespace

TEST_CASE("a worker answers, and its statuses are answers too") {
  GrpcFixture fixture;
  const auto cloud = sim::Cloud::parse(R"({"workers": [{"address": "10.7.0.1", "cores": 2}]})").value();
  const auto server = sim::SimServer::start(fixture.io.get_executor(), cloud).value();
  NetworkOptions network;
  for (const std::string& rule : server->connect_to()) network.connect_to.push_back(ConnectTo::parse(rule).value());
  const auto transport = make_grpc_transport(fixture.io.get_executor(), fixture.timers, network, file_system());
  fixture.transport->close();
  fixture.transport = transport;
  const Result<RpcAnswer> answer = fixture.call("10.7.0.1:8470");
  REQUIRE(answer.has_value());
  CHECK(answer->status == RpcStatus::ok);
  CHECK(answer->message.find("/device:TPU:1") != std::string::npos);
  const Result<RpcAnswer> nobody = fixture.call("10.7.0.2:8470", 300ms);
  CHECK((nobody.has_error() || nobody->status != RpcStatus::ok));
  server->stop();
}

TEST_CASE("no server listens") {
  GrpcFixture fixture;
  std::string address;
  {
    tcp::acceptor gone = listen(fixture.io);
    address = address_of(gone);
  }
  const Result<RpcAnswer> answer = fixture.call(address);
  REQUIRE(answer.has_error());
  CHECK(answer.error().code() == Errc::unreachable);
  CHECK_THAT(answer.error().message(), Catch::Contains(address + ": connection refused"));
}

TEST_CASE("a peer that accepts the connection and does not answer") {
  GrpcFixture fixture;
  tcp::acceptor mute = listen(fixture.io);
  const Result<RpcAnswer> answer = fixture.call(address_of(mute), 300ms);
  REQUIRE(answer.has_error());
  CHECK(is_timeout(answer.error().code()));
  CHECK_THAT(answer.error().message(), Catch::Contains(address_of(mute)));
}

TEST_CASE("peers with another protocol") {
  for (const char* text :
       {"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "220 mail.example ESMTP\r\n", "\x15\x03\x01\x02\x02\x16"}) {
    CAPTURE(text);
    GrpcFixture fixture;
    tcp::acceptor odd = listen(fixture.io);
    speak(odd, text);
    const Result<RpcAnswer> answer = fixture.call(address_of(odd));
    REQUIRE(answer.has_error());
    CHECK_THAT(answer.error().message(), Catch::Contains(address_of(odd)));
  }
}

TEST_CASE("TLS towards a peer that hangs up") {
  GrpcFixture fixture;
  tcp::acceptor odd = listen(fixture.io);
  speak(odd, "no TLS here");
  const Result<RpcAnswer> answer = fixture.call(address_of(odd), 20s, true);
  REQUIRE(answer.has_error());
  CHECK_THAT(answer.error().message(), Catch::Contains(address_of(odd)));
}

TEST_CASE("invalid names and addresses") {
  GrpcFixture fixture;
  const Result<RpcAnswer> nameless = fixture.call("nobody.invalid:8470");
  REQUIRE(nameless.has_error());
  CHECK((nameless.error().code() == Errc::unknown_host || is_timeout(nameless.error().code())));
  for (const char* address : {"", "10.0.0.1", "10.0.0.1:0", "[::1", "a b:1"}) {
    CAPTURE(address);
    const Result<RpcAnswer> answer = fixture.call(address);
    REQUIRE(answer.has_error());
    CHECK(answer.error().code() == Errc::invalid_argument);
  }
}

TEST_CASE("a cancelled call ends at once, and so does one whose transport is closed") {
  for (const bool by_close : {false, true}) {
    CAPTURE(by_close);
    GrpcFixture fixture;
    tcp::acceptor mute = listen(fixture.io);
    const RpcRequest request(address_of(mute), status_method);
    RpcOptions options;
    options.deadline = fixture.time->now() + 1h;
    asio::cancellation_signal signal;
    std::optional<Errc> end;
    asio::co_spawn(fixture.io, fixture.transport->call(request, options),
                   asio::bind_cancellation_slot(signal.slot(), [&end](std::exception_ptr error, Result<RpcAnswer> answer) {
                     end = error ? Errc::cancelled : answer.error().code();
                   }));
    // Once the peer has the connection, the call is in progress.
    mute.async_accept([&](const std::error_code&, tcp::socket) {
      if (by_close) {
        fixture.transport->close();
      } else {
        signal.emit(asio::cancellation_type::terminal);
      }
    });
    fixture.io.run();
    CHECK(end == Errc::cancelled);
  }
}

TEST_CASE("a loop that goes away with a call under way") {
  auto fixture = std::make_unique<GrpcFixture>();
  asio::io_context other;
  tcp::acceptor mute = listen(other);
  const RpcRequest request(address_of(mute), status_method);
  const RpcOptions options;
  bool is_called = false;
  asio::co_spawn(fixture->io, fixture->transport->call(request, options), [&](std::exception_ptr, Result<RpcAnswer>) { is_called = true; });
  fixture->io.poll();
  mute.accept();
  fixture.reset();
  CHECK(!is_called);
}
