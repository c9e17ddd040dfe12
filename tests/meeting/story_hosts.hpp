// Hosts in virtual time at which tasks listen, for the stories of barriers and preflights.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "net/server/http_server.hpp"
#include "rollcall/tcp_probe.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "sim/serve/handler_transport.hpp"

namespace rollcall::testing {

class StoryHosts : public VirtualLoop {
 public:
  void pass(Duration duration) {
    const SteadyTime until = time->now() + duration;
    poll();
    while (time->now() < until) {
      time->advance(std::min<Duration>(std::chrono::milliseconds(50), until - time->now()));
      poll();
    }
  }

 protected:
  static std::string host_of(std::size_t i) { return fmt::format("n{}", i); }

  /// Until the returned object is destroyed.
  Result<std::shared_ptr<void>> listen_at(const std::string& host, HttpServer::Handler handler) {
    if (served_.contains(host)) return Failure(Errc::failed_precondition, "port 7000 of this host is not free: Address already in use");
    auto transport = sim::make_handler_transport(io.get_executor(), std::move(handler), time);
    served_[host] = transport;
    return std::shared_ptr<void>(transport.get(), [this, host](void*) {
      served_[host]->break_all();
      served_[host]->refuse(true);
      served_.erase(host);
    });
  }
  /// Null: nothing listens.
  std::shared_ptr<sim::HandlerTransport> server_at(const std::string& host) const {
    const auto at = served_.find(host);
    return at == served_.end() ? nullptr : at->second;
  }
  /// Connections to that host end.
  void break_connections(const std::string& host) {
    if (const auto server = server_at(host)) server->break_all();
    poll();
  }

  class Look final : public TcpProbe {
   public:
    explicit Look(StoryHosts& hosts) : hosts_(hosts) {}
    asio::awaitable<Result<void>> connect(const Endpoint& endpoint, SteadyTime) override {
      if (hosts_.served_.contains(endpoint.host)) co_return Result<void>();
      co_return Failure(Errc::unreachable, "Connection refused");
    }

   private:
    StoryHosts& hosts_;
  };

  std::map<std::string, std::shared_ptr<sim::HandlerTransport>> served_;
};

}  // namespace rollcall::testing
