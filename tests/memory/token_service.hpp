// An https server in a separate process, so that its memory is not the client's. It answers with tokens and keys, and
// for all other requests with an empty object. One request per connection. Answers are sent in small pieces.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/certificates.hpp"

namespace rollcall::testing {

class TokenService {
 public:
  struct Route {
    std::string part;    ///< of the request's first line
    std::string answer;  ///< JSON
  };

  /// The first route that matches is used.
  TokenService(const CertifiedKey& identity, std::vector<Route> routes) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 16) != 0)
      throw std::runtime_error("cannot listen");
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    child_ = ::fork();
    if (child_ == 0) serve(listener, identity, routes);
    ::close(listener);
  }
  ~TokenService() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  TokenService(const TokenService&) = delete;
  TokenService& operator=(const TokenService&) = delete;
  std::uint16_t port() const noexcept { return port_; }

 private:
  [[noreturn]] static void serve(int listener, const CertifiedKey& identity, const std::vector<Route>& routes) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const TlsContextPtr context = identity.server_context();
    for (;;) {
      const int client = ::accept(listener, nullptr, nullptr);
      if (client < 0) continue;
      SSL* const ssl = SSL_new(context.get());
      SSL_set_fd(ssl, client);
      if (SSL_accept(ssl) == 1) answer(ssl, routes);
      SSL_shutdown(ssl);
      SSL_free(ssl);
      ::close(client);
    }
  }

  static void answer(SSL* ssl, const std::vector<Route>& routes) {
    std::string request;
    char piece[4096];
    while (!is_whole(request)) {
      const int bytes = SSL_read(ssl, piece, sizeof piece);
      if (bytes <= 0) return;
      request.append(piece, static_cast<std::size_t>(bytes));
    }
    const std::string first = request.substr(0, request.find('\r'));
    const auto fits = [&first](const Route& route) { return first.find(route.part) != std::string::npos; };
    const auto route = std::find_if(routes.begin(), routes.end(), fits);
    const std::string body = route == routes.end() ? "{}" : route->answer;
    std::string text = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (std::size_t at = 0; at < body.size(); at += 50) {
      const std::string chunk = body.substr(at, 50);
      constexpr std::string_view digits = "0123456789abcdef";
      text += {digits[chunk.size() >> 4], digits[chunk.size() & 15]};
      text += "\r\n" + chunk + "\r\n";
    }
    text += "0\r\n\r\n";
    // Secrets are sent in larger pieces, so that later bytes do not overwrite them in the client's buffer.
    const std::size_t size = route == routes.end() ? 70 : 250;
    for (std::size_t at = 0; at < text.size(); at += size) {
      const std::string part = text.substr(at, size);
      SSL_write(ssl, part.data(), static_cast<int>(part.size()));
    }
  }

  static bool is_whole(const std::string& request) {
    const std::size_t end = request.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    constexpr std::string_view name = "Content-Length: ";
    const std::size_t length = request.find(name);
    return length == std::string::npos || length > end || request.size() >= end + 4 + std::stoul(request.substr(length + name.size()));
  }

  pid_t child_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace rollcall::testing
