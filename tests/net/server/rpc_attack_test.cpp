// Attacks by untrusted clients on a gRPC server, on a clock that the test moves.
#include <catch2/catch.hpp>

#include "net/codec/http2_frames.hpp"
#include "net/server/rpc_stranger.hpp"
#include "net/server/server_context.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

TEST_CASE("calls that are opened and reset at once get no handler, and end their connection", "[fleet]") {
  RpcFixture f;
  RpcStranger client(f.rpc_port);
  std::string flood = greeting();
  for (std::uint32_t stream = 1; stream < 40'000; stream += 2)
    flood += call_begin(stream, call_path) + frame(FrameType::rst_stream, 0, stream, big_endian(8, 4));
  f.send_all(client, flood);
  f.pass(3);
  f.hear_out(client);
  CHECK(goaway_of(client.frames()) == enhance_your_calm);
  CHECK(f.begun == 0);
  f.wait_until_empty();
  RpcStranger next(f.rpc_port);
  f.begin_call(next);
  CHECK(f.begun == 1);
}

TEST_CASE("a connection without the HTTP/2 preface in time is closed, also with a slow preface", "[fleet]") {
  RpcFixture f;
  RpcStranger silent(f.rpc_port);
  RpcStranger slow(f.rpc_port);
  RpcStranger half(f.rpc_port);
  half.send(greeting() + frame(FrameType::headers, 0, 1, call_head(call_path)));
  f.run_until([&f] { return f.server.connections_open() == 3; });
  const std::string words(client_preface);
  for (std::size_t i = 0; i < 9; ++i) {
    slow.send(words.substr(i, 1));
    f.pass(1);
  }
  CHECK(f.server.connections_open() == 3);
  f.pass(2);
  f.hear_out(silent);
  f.hear_out(slow);
  f.pass(3);
  f.hear_out(half);
  CHECK(goaway_of(half.frames()) == enhance_your_calm);
  CHECK(f.server.connections_open() == 0);
}

TEST_CASE("an idle connection is closed normally, and pings do not delay that", "[fleet]") {
  RpcFixture f;
  RpcStranger client(f.rpc_port);
  client.send(greeting());
  for (int i = 0; i < 7; ++i) {
    f.pass(9);
    client.send(frame(FrameType::ping, 0, 0, "12345678"));
    f.pass(0.5);
  }
  CHECK(count_of(client.frames(), FrameType::ping) == 7);
  f.pass(9);
  CHECK(goaway_of(client.frames()) == no_error);
  f.pass(3);
  f.hear_out(client);
}

TEST_CASE("a call without a message ends, and so does one whose message has no end", "[fleet]") {
  RpcFixture f;
  RpcStranger silent(f.rpc_port);
  RpcStranger slow(f.rpc_port);
  f.begin_call(silent);
  f.begin_call(slow);
  CHECK_FALSE(f.open[1]->take_message());
  slow.send(frame(FrameType::data, 0, 1, std::string(4, '\0')));
  for (int i = 0; i < 9; ++i) {
    slow.send(frame(FrameType::data, 0, 1, i == 0 ? std::string("\x7f") : std::string("x")));
    f.pass(1);
  }
  CHECK_FALSE(f.open[1]->is_closed());
  f.pass(2);
  CHECK(f.open[1]->is_closed());
  CHECK_THAT(slow.fields(), Contains("grpc-status: 4") && Contains("did not come to its end in time"));
  f.pass(17);
  CHECK_FALSE(f.open[0]->is_closed());
  f.pass(3);
  CHECK(f.open[0]->is_closed());
  CHECK_THAT(silent.fields(), Contains("grpc-status: 4") && Contains("no message came"));
}

TEST_CASE("a call that has received a message may be silent", "[fleet]") {
  RpcFixture f;
  RpcStranger client(f.rpc_port);
  f.begin_call(client);
  client.send(message_frame(1, "hello"));
  f.pass(1);
  CHECK(f.open[0]->take_message() == "hello");
  CHECK_FALSE(f.open[0]->take_message());
  f.pass(1000);
  CHECK_FALSE(f.open[0]->is_closed());
}

TEST_CASE("messages that are not requested are read up to the window's size", "[fleet]") {
  RpcFixture f;
  RpcStranger client(f.rpc_port);
  f.begin_call(client);
  std::string much;
  for (int i = 0; i < 4; ++i) much += message_frame(1, std::string(16'000, 'x'));
  f.send_all(client, much);
  f.pass(1);
  CHECK(count_of(client.frames(), FrameType::window_update) == 0);
  for (int i = 0; i < 4; ++i) CHECK(f.open[0]->take_message().value_or("").size() == 16'000);
  f.pass(1);
  CHECK(count_of(client.frames(), FrameType::window_update) >= 2);
}

TEST_CASE("a client that reads nothing is dropped, by its window or by its socket", "[fleet]") {
  RpcFixture f;
  RpcStranger shut(f.rpc_port);
  shut.send(std::string(client_preface) + frame(FrameType::settings, 0, 0, big_endian(4, 2) + big_endian(0, 4)) + call_begin(1, call_path));
  f.run_until([&f] { return f.begun == 1; });
  f.open[0]->write(SharedBytes(std::string(1'000'000, 'x')));
  f.pass(1);
  CHECK_FALSE(f.open[0]->is_writable());
  f.open[0]->finish(RpcStatus::unavailable, "nothing was read for long");
  f.pass(1);
  CHECK(shut.frames().back().type == FrameType::rst_stream);
  RpcStranger deaf(f.rpc_port, 4096);
  deaf.send(greeting() + frame(FrameType::window_update, 0, 0, big_endian(0x7f000000, 4)) + call_begin(1, call_path) +
            frame(FrameType::window_update, 0, 1, big_endian(0x7f000000, 4)) + message_frame(1, "hello"));
  f.run_until([&f] { return f.begun == 2; });
  f.open[1]->write(SharedBytes(std::string(20'000'000, 'x')));
  f.pass(29);
  CHECK_FALSE(f.open[1]->is_closed());
  f.pass(3);
  CHECK(f.open[1]->is_closed());
}

TEST_CASE("a call of another method gets an answer, and no handler", "[fleet]") {
  RpcFixture f;
  RpcStranger client(f.rpc_port);
  const std::string get =
      hpack_field(":method", "GET") + hpack_field(":scheme", "http") + hpack_field(":path", "/") + hpack_field(":authority", "h");
  const std::string post = hpack_field(":method", "POST") + hpack_field(":scheme", "http") + hpack_field(":path", call_path) +
                           hpack_field(":authority", "h") + hpack_field("content-type", "text/plain");
  client.send(greeting() + frame(FrameType::headers, flag_end_headers | flag_end_stream, 1, get) +
              frame(FrameType::headers, flag_end_headers | flag_end_stream, 3, post) + call_begin(5, "/another.Service/Method") +
              frame(FrameType::headers, flag_end_headers, 7, call_head(call_path, {{"long", std::string(16'100, 'x')}})));
  f.pass(1);
  CHECK(count_of(client.frames(), FrameType::headers) == 4);
  CHECK_THAT(client.fields(), Contains(":status: 405") && Contains(":status: 415") &&
                                  Contains("this server has /interop.Open/Talk alone") && Contains("the metadata are longer"));
  CHECK(f.begun == 0);
}

TEST_CASE("compressed messages and those that are too long end their call, and no other", "[fleet]") {
  RpcFixture f;
  RpcStranger client(f.rpc_port);
  client.send(greeting() + call_begin(1, call_path) + call_begin(3, call_path) + call_begin(5, call_path) + call_begin(7, call_path));
  f.run_until([&f] { return f.begun == 3; });
  client.send(frame(FrameType::data, 0, 1, std::string("\1\0\0\0\1x", 6)) +
              frame(FrameType::data, 0, 3, std::string("\0\x7f\xff\xff\xff", 5)) + message_frame(5, "hello"));
  f.pass(1);
  CHECK(f.open[0]->is_closed());
  CHECK(f.open[1]->is_closed());
  CHECK(f.open[2]->take_message() == "hello");
  CHECK_THAT(client.fields(), Contains("compressed messages") && Contains("longer than may be") && Contains("as many streams"));
}

TEST_CASE("when places run out, an idle gRPC connection is closed, and one with a call is not", "[fleet]") {
  ServerLimits limits;
  limits.connections = 2;
  RpcFixture f(limits);
  RpcStranger busy(f.rpc_port);
  f.begin_call(busy);
  busy.send(message_frame(1, "hello"));
  RpcStranger idle(f.rpc_port);
  idle.send(greeting());
  f.pass(1);
  CHECK(f.server.connections_open() == 2);
  RpcStranger next(f.rpc_port);
  next.send(greeting() + call_begin(1, call_path));
  f.pass(3);
  CHECK(goaway_of(idle.frames()) == no_error);
  idle.close();
  f.run_until([&f] { return f.begun == 2; });
  CHECK_FALSE(f.open[0]->is_closed());
}

TEST_CASE("a server that stops sends a status to its gRPC clients", "[fleet]") {
  RpcFixture f;
  RpcStranger client(f.rpc_port);
  f.begin_call(client);
  f.server.stop();
  CHECK(f.open[0]->is_closed());
  f.poll();
  CHECK(client.listen());
  CHECK_THAT(client.fields(), Contains("grpc-status: 14") && Contains("this server stops"));
  CHECK(goaway_of(client.frames()) == no_error);
}

TEST_CASE("gRPC over TLS: ALPN, client certificates, and no resumed sessions", "[fleet]") {
  RpcFixture f;
  const CertifiedKey authority(authority_request("Clients"));
  const CertifiedKey own(CertificateRequest({"DNS:rollcall.example", "IP:127.0.0.1"}));
  CertificateRequest about_client({"URI:spiffe://example/launcher"});
  about_client.usage = "clientAuth";
  const CertifiedKey identity(about_client, &authority);
  const TemporaryFile authorities(authority.pem());
  const TemporaryFile certificate(own.pem() + own.key_pem());
  TlsFiles files;
  files.certificate = certificate.path();
  for (const bool knows_clients : {false, true}) {
    files.authorities = knows_clients ? authorities.path() : "";
    const auto context = value_of(ServerContext::open(files, f.time, nullptr));
    const std::uint16_t port =
        value_of(f.server.listen_rpc("127.0.0.1", 0, [context](std::string_view) { return context->current(); }, f.method));
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      TlsStranger first(port, &identity, {}, version);
      f.call_over(first);
      const unsigned char* agreed = nullptr;
      unsigned size = 0;
      SSL_get0_alpn_selected(first.tls(), &agreed, &size);
      CHECK(std::string(reinterpret_cast<const char*>(agreed), size) == "h2");
      const ServerRequest& request = f.open.back()->request();
      CHECK(request.is_https);
      CHECK((request.certificate != nullptr) == knows_clients);
      if (knows_clients) CHECK(request.certificate->names == std::vector<std::string>{"spiffe://example/launcher"});
      SSL_SESSION* const session = SSL_get0_session(first.tls());
      CHECK_FALSE(SSL_SESSION_has_ticket(session));
      TlsStranger again(port, nullptr, {}, version);
      SSL_set_session(again.tls(), session);
      f.call_over(again);
      CHECK_FALSE(SSL_session_reused(again.tls()));
      CHECK(f.open.back()->request().certificate == nullptr);
      f.open.clear();
    }
  }
}
