// Serves a case's `http` entries on loopback, plain and with TLS.
#pragma once

#include <asio/any_io_executor.hpp>
#include <memory>

#include "async/timer_queue.hpp"
#include "conformance/authority.hpp"
#include "conformance/http_script.hpp"
#include "conformance/traffic.hpp"
#include "net/server/http_server.hpp"

namespace rollcall::conformance {

class HttpService {
 public:
  /// Everything must outlive the service. Throws std::runtime_error when loopback cannot be listened on.
  HttpService(asio::any_io_executor executor, HttpScript& script, Traffic& traffic, TimerQueue& timers, Authority& authority,
              std::vector<std::string> tls_addresses);
  std::uint16_t http_port() const { return http_port_; }
  std::uint16_t https_port() const { return https_port_; }
  void stop() { server_.stop(); }

 private:
  asio::awaitable<void> serve(ServerExchange& exchange);

  HttpScript& script_;
  Traffic& traffic_;
  TimerQueue& timers_;
  HttpServer server_;
  std::uint16_t http_port_ = 0;
  std::uint16_t https_port_ = 0;
};

}  // namespace rollcall::conformance
