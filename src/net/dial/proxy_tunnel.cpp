#include "net/dial/proxy_tunnel.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_answer = 16 * 1024;

Failure broken(const std::string& proxy, const std::string& why) {
  return Failure(Errc::unreachable, fmt::format("the proxy {} {}", quoted(proxy), why)).with_phase(Phase::connect);
}

// `HTTP/1.1 200 Connection established`
std::optional<int> status_of(std::string_view answer) {
  if (!answer.starts_with("HTTP/1.") || answer.size() < 12 || answer[8] != ' ') return std::nullopt;
  return parse_decimal<int>(answer.substr(9, 3), 100, 599);
}

}  // namespace

asio::awaitable<Result<void>> open_tunnel(asio::ip::tcp::socket& socket, const Destination& destination, const std::string& proxy,
                                          DialStep& step) {
  using asio::ip::tcp;
  const bool is_v6 = destination.host.find(':') != std::string::npos;
  const std::string authority = fmt::format("{}{}{}:{}", is_v6 ? "[" : "", destination.host, is_v6 ? "]" : "", destination.port);
  const std::string doing = fmt::format("opening a tunnel to {} through the proxy {}", quoted(authority), quoted(proxy));
  const std::string request = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n\r\n", authority);
  std::size_t sent = 0;
  while (sent < request.size()) {
    const ssize_t n = ::send(socket.native_handle(), request.data() + sent, request.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) {
      co_return broken(proxy, "broke the connection: " + std::error_code(errno, std::system_category()).message());
    }
    const bool goes_on = co_await step.wait(socket, tcp::socket::wait_write);
    if (!goes_on) co_return step.why_stopped(doing);
  }
  std::string answer;
  std::size_t end = std::string::npos;
  while (end == std::string::npos) {
    const bool goes_on = co_await step.wait(socket, tcp::socket::wait_read);
    if (!goes_on) co_return step.why_stopped(doing);
    char buffer[2048];
    const ssize_t n = ::recv(socket.native_handle(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n < 0) co_return broken(proxy, "broke the connection: " + std::error_code(errno, std::system_category()).message());
    if (n == 0) co_return broken(proxy, "closed the connection instead of opening a tunnel");
    answer.append(buffer, static_cast<std::size_t>(n));
    end = answer.find("\r\n\r\n");
    if (end == std::string::npos && answer.size() > max_answer) {
      co_return Failure(Errc::malformed_response, fmt::format("the proxy {} answered CONNECT with an endless header", quoted(proxy)))
          .with_phase(Phase::connect);
    }
  }
  const std::optional<int> status = status_of(answer);
  if (!status) {
    co_return Failure(Errc::malformed_response, fmt::format("the proxy {} answered CONNECT with {}", quoted(proxy), quoted(answer, 80)))
        .with_phase(Phase::connect);
  }
  if (*status / 100 != 2) {
    Failure failure = broken(proxy, fmt::format("refused a tunnel to {} with HTTP {}", quoted(authority), *status));
    failure.with_last_status(*status);
    if (*status == 407) failure.with_hint("proxies that want credentials are not supported: use one that does not, or none for this host");
    co_return failure;
  }
  if (end + 4 != answer.size()) {  // the client speaks first in TLS
    co_return Failure(Errc::malformed_response, fmt::format("the proxy {} sent bytes of its own into the tunnel", quoted(proxy)))
        .with_phase(Phase::connect);
  }
  co_return Result<void>();
}

}  // namespace rollcall
