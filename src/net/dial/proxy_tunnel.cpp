#include "net/dial/proxy_tunnel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.hpp"
#include "base/field_text.hpp"
#include "base/text.hpp"
#include "net/dial/wire/connect_answer.hpp"
#include "net/dial/wire/socks5.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

// Short messages to a proxy and back, until its tunnel is open.
class ProxyExchange {
 public:
  /// Both must outlive this. `doing`, for messages: "opening a tunnel to …".
  ProxyExchange(Stream& stream, DialStep& step, std::string doing) : stream_(stream), step_(step), doing_(std::move(doing)) {}

  /// Sends all of it. `bytes` must outlive the await. Errors: unreachable, and those of the step.
  asio::awaitable<Result<void>> send(std::string_view bytes);
  /// The received bytes, at least one and at most 2 kB; the view is valid until the next call. Errors: as send().
  asio::awaitable<Result<std::string_view>> receive();

 private:
  asio::awaitable<Result<void>> wait(IoStatus wanted);
  Stream& stream_;
  DialStep& step_;
  std::string doing_;
  char buffer_[2048];
};

Failure connection_to_proxy_broke(const std::error_code& error) {
  return Failure(Errc::unreachable, "broke the connection: " + error.message()).with_phase(Phase::connect);
}

asio::awaitable<Result<void>> ProxyExchange::wait(IoStatus wanted) {
  using asio::ip::tcp;
  const auto what = wanted == IoStatus::want_write ? tcp::socket::wait_write : tcp::socket::wait_read;
  const bool goes_on = co_await step_.wait(stream_.socket(), what);
  if (!goes_on) co_return step_.why_stopped(doing_);
  co_return Result<void>();
}

asio::awaitable<Result<void>> ProxyExchange::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const IoResult moved = stream_.write_some(std::span<const char>(bytes.data(), bytes.size()));
    if (moved.status == IoStatus::done) {
      bytes.remove_prefix(moved.bytes);
    } else if (moved.status == IoStatus::failed || moved.status == IoStatus::closed) {
      co_return connection_to_proxy_broke(moved.error);
    } else {
      const Result<void> ready = co_await wait(moved.status);
      if (ready.has_error()) co_return ready.error();
    }
  }
  co_return Result<void>();
}

asio::awaitable<Result<std::string_view>> ProxyExchange::receive() {
  for (;;) {
    const IoResult moved = stream_.read_some(buffer_);
    if (moved.status == IoStatus::done) co_return std::string_view(buffer_, moved.bytes);
    if (moved.status == IoStatus::failed) co_return connection_to_proxy_broke(moved.error);
    if (moved.status == IoStatus::closed) {
      co_return Failure(Errc::unreachable, "closed the connection instead of opening a tunnel").with_phase(Phase::connect);
    }
    const Result<void> ready = co_await wait(moved.status);
    if (ready.has_error()) co_return ready.error();
  }
}

Secret<std::string> connect_request(const ProxyUrl& proxy, const std::string& authority) {
  const Secret<std::string> credentials =
      proxy.has_credentials() ? basic_credentials(proxy.user, proxy.password.reveal()) : Secret<std::string>();
  std::string text;
  text.reserve(2 * authority.size() + credentials.reveal().size() + 100);
  text.append("CONNECT ").append(authority).append(" HTTP/1.1\r\nHost: ").append(authority).append("\r\n");
  if (!credentials.empty()) text.append("Proxy-Authorization: Basic ").append(credentials.reveal()).append("\r\n");
  return Secret<std::string>(std::move(text.append("\r\n")));
}

asio::awaitable<Result<void>> tunnel_by_connect(ProxyExchange& exchange, const ProxyUrl& proxy, const std::string& authority) {
  const Secret<std::string> request = connect_request(proxy, authority);
  const Result<void> sent = co_await exchange.send(request.reveal());
  if (sent.has_error()) co_return sent.error();
  ConnectAnswer answer;
  while (!answer.is_whole()) {
    const Result<std::string_view> came = co_await exchange.receive();
    if (came.has_error()) co_return came.error();
    const Result<void> taken = answer.put(*came);
    if (taken.has_error()) co_return taken.error();
  }
  co_return answer.verdict(proxy, authority);
}

asio::awaitable<Result<void>> tunnel_by_socks(ProxyExchange& exchange, const ProxyUrl& proxy, const Destination& destination) {
  Socks5 socks(proxy, destination.host, destination.port);
  Secret<std::string> next(socks.greeting());
  while (!socks.is_open()) {
    const Result<void> sent = co_await exchange.send(next.reveal());
    if (sent.has_error()) co_return sent.error();
    const Result<std::string_view> came = co_await exchange.receive();
    if (came.has_error()) co_return came.error();
    Result<Secret<std::string>> answer = socks.put(*came);
    if (answer.has_error()) co_return answer.error();
    next = std::move(*answer);
  }
  co_return Result<void>();
}

}  // namespace

asio::awaitable<Result<void>> open_tunnel(Stream& stream, Destination destination, const ProxyUrl& proxy, DialStep& step) {
  if (destination.host.find(':') != std::string::npos)
    destination.host.resize(std::min(destination.host.find('%'), destination.host.size()));
  // It becomes a part of the request: line ends must be refused here, for every URL and connect-to rule.
  if (!is_graphic(destination.host)) {
    co_return Failure(Errc::invalid_argument, fmt::format("{} is no host that a proxy can be asked for", quoted(destination.host)))
        .with_phase(Phase::connect);
  }
  const std::string authority = Endpoint(destination.host, destination.port).to_text();
  const std::string shown = quoted(proxy.shown());
  ProxyExchange exchange(stream, step, fmt::format("opening a tunnel to {} through the proxy {}", quoted(authority), shown));
  Result<void> opened;
  if (proxy.is_socks()) {
    opened = co_await tunnel_by_socks(exchange, proxy, destination);
  } else {
    opened = co_await tunnel_by_connect(exchange, proxy, authority);
  }
  if (opened.has_value()) co_return opened;
  Failure failure = opened.error();
  failure.with_phase(Phase::connect);
  // The step's own text is already a whole sentence.
  if (!is_timeout(failure.code()) && failure.code() != Errc::cancelled)
    failure.with_what(fmt::format("the proxy {} {}", shown, failure.what()));
  co_return failure;
}

}  // namespace rollcall
