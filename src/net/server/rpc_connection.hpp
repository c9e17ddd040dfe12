// One connection of gRPC: HTTP/2 over the server's sockets, within the same limits as HTTP. It does not read while its client does not
// accept outgoing data.
#pragma once

#include <asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>

#include "async/async_event.hpp"
#include "net/codec/http2_session.hpp"
#include "net/server/rpc_call.hpp"
#include "net/server/server_link.hpp"

namespace rollcall {

class RpcConnection final : public ServerLink, private Http2Events {
 public:
  RpcConnection(std::shared_ptr<ServerShared> shared, asio::ip::tcp::socket socket, std::shared_ptr<ServerTls> tls,
                std::shared_ptr<RpcCalls> calls);
  ~RpcConnection() override;

  asio::awaitable<void> run() override;
  void close() noexcept override;

  // For its calls.
  Http2Session& session() noexcept { return session_; }
  RpcCalls& shared_calls() noexcept { return *all_; }
  TimerQueue* timers() const noexcept { return shared_->timers.get(); }
  const ServerLimits& limits() const noexcept { return shared_->limits; }
  /// There is data to send.
  void wake() { news_.wake(); }

 private:
  enum class State { greeting, head, calls, idle };

  void on_request(std::int32_t stream, Http2Request request) override;
  void on_content(std::int32_t stream, std::string_view bytes) override;
  void on_request_end(std::int32_t stream) override;
  void on_sent(std::int32_t stream) override;
  void on_stream_end(std::int32_t stream) override;

  void begin(std::int32_t stream, Http2Request request);
  void refuse(std::int32_t stream, RpcStatus status, std::string_view message);
  asio::awaitable<bool> flush();
  IoResult write_now();
  void watch();
  void read();
  bool rest_or_end();
  State state() const noexcept;
  void end_calls() noexcept;
  SteadyTime now() const;

  std::shared_ptr<RpcCalls> all_;
  Http2Session session_;
  std::map<std::int32_t, std::shared_ptr<RpcCall>> calls_;
  AsyncEvent news_;
  std::string out_;
  std::size_t sent_ = 0;  // of out_
  SteadyTime since_;      // when it entered state_
  State state_ = State::greeting;
  asio::ip::tcp::socket::wait_type wait_for_ = asio::ip::tcp::socket::wait_read;
  bool is_watching_ = false;
  bool is_readable_ = false;
  bool goes_on_ = true;
};

}  // namespace rollcall
