// A gRPC client that may violate the protocol, and a server for it on a clock that the test moves.
#pragma once

#include <poll.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/codec/http2_frames.hpp"
#include "net/server/rpc_call.hpp"
#include "net/server/tls_stranger.hpp"
#include "support/result.hpp"

namespace rollcall::testing {

inline constexpr const char* call_path = "/interop.Open/Talk";

class RpcStranger : public Stranger {
 public:
  explicit RpcStranger(std::uint16_t port, int receive_buffer = 0) : Stranger(port, receive_buffer) {}
  std::vector<HeardFrame> frames() {
    listen();
    return frames_of(heard);
  }
  std::string fields() { return fields_of(frames()); }
};

class RpcFixture : public StrangerFixture {
 public:
  explicit RpcFixture(ServerLimits limits = {}) : StrangerFixture(nullptr, limits) {
    method.path = call_path;
    method.streams = 3;
    method.on_stream = [this](std::unique_ptr<RpcServerStream> stream) {
      ++begun;
      open.push_back(std::move(stream));
    };
    rpc_port = server.listen_rpc("127.0.0.1", 0, {}, method).value();
  }
  ~RpcFixture() {
    server.stop();
    poll();
  }
  void begin_call(RpcStranger& client) {
    const int before = begun;
    client.send(greeting() + call_begin(1, call_path));
    run_until([&] { return begun > before; });
  }
  /// Passes the bytes of `client` to the server, in as many pieces as needed.
  void send_all(RpcStranger& client, std::string_view bytes) {
    while (!bytes.empty() && !client.listen()) {
      const std::size_t sent = client.send(bytes);
      bytes.remove_prefix(sent);
      poll();
    }
  }

  /// A call over TLS, in open.
  void call_over(TlsStranger& client) {
    static constexpr unsigned char offer[] = "\x02h2";
    SSL_set_alpn_protos(client.tls(), offer, sizeof offer - 1);
    const int before = begun;
    for (int i = 0; i < 2000 && !client.shake(); ++i) wait_for(client);
    client.send(greeting() + call_begin(1, call_path));
    for (int i = 0; i < 2000 && begun == before; ++i) {
      client.hear();
      wait_for(client);
    }
    REQUIRE(begun == before + 1);
  }
  void wait_for(TlsStranger& client) {
    poll();
    pollfd socket{.fd = client.socket.descriptor(), .events = POLLIN, .revents = 0};
    ::poll(&socket, 1, 1);
  }

  RpcMethod method;
  int begun = 0;
  std::vector<std::unique_ptr<RpcServerStream>> open;
  std::uint16_t rpc_port = 0;
};

}  // namespace rollcall::testing
