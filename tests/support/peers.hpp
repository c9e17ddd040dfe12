// TCP peers on loopback that cause the time-outs: one with a full backlog, one that never sends.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <asio/ip/tcp.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace rollcall::testing {

/// A listening socket that is never accepted from. With room in the backlog the kernel connects clients, which then get no data.
class MutePeer {
 public:
  explicit MutePeer(const std::string& ip = "127.0.0.1", std::uint16_t port = 0, int backlog = 1024) {
    const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(ip), port);
    listener_ = open(endpoint.protocol());
    const int on = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (endpoint.protocol() == asio::ip::tcp::v6()) ::setsockopt(listener_, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (::bind(listener_, endpoint.data(), static_cast<socklen_t>(endpoint.size())) != 0 || ::listen(listener_, backlog) != 0) {
      throw std::runtime_error("cannot listen on " + ip);
    }
    socklen_t size = static_cast<socklen_t>(address_.capacity());
    ::getsockname(listener_, address_.data(), &size);
    address_.resize(size);
  }
  ~MutePeer() {
    for (const int client : clients_) ::close(client);
    ::close(listener_);
  }
  MutePeer(const MutePeer&) = delete;
  MutePeer& operator=(const MutePeer&) = delete;
  std::uint16_t port() const noexcept { return address_.port(); }
  int descriptor() const noexcept { return listener_; }

 protected:
  static int open(const asio::ip::tcp& protocol) { return ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }
  void connect_one() {
    const int client = open(address_.protocol());
    static_cast<void>(::connect(client, address_.data(), static_cast<socklen_t>(address_.size())));
    clients_.push_back(client);
  }

 private:
  int listener_ = -1;
  asio::ip::tcp::endpoint address_;
  std::vector<int> clients_;
};

/// A listening socket whose backlog is full: further SYNs are dropped, so that a connect() neither succeeds nor fails.
class FullPeer : public MutePeer {
 public:
  explicit FullPeer(const std::string& ip = "127.0.0.1", std::uint16_t port = 0) : MutePeer(ip, port, 0) {
    for (int i = 0; i < 4; ++i) connect_one();
  }
};

/// A port without a listener, for the lifetime of this object.
class ClosedPort {
 public:
  ClosedPort() {
    descriptor_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), size) != 0) throw std::runtime_error("cannot bind");
    ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~ClosedPort() { ::close(descriptor_); }
  ClosedPort(const ClosedPort&) = delete;
  ClosedPort& operator=(const ClosedPort&) = delete;
  std::uint16_t port() const noexcept { return port_; }

 private:
  int descriptor_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace rollcall::testing
