#include "net/dial/proxy_tunnel.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "net/dial/proxy_talk.hpp"
#include "net/dial/wire/connect_answer.hpp"
#include "net/dial/wire/socks5.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

Secret<std::string> basic_credentials(const ProxyUrl& proxy) {
  Secret<std::string> pair;
  {
    std::string text;
    text.reserve(proxy.user.size() + 1 + proxy.password.reveal().size());  // else a copy of the password stays behind
    text.append(proxy.user).append(":").append(proxy.password.reveal());
    pair = Secret<std::string>(std::move(text));
  }
  const std::string_view plain = pair.reveal();
  std::string encoded((plain.size() + 2) / 3 * 4 + 1, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()), reinterpret_cast<const unsigned char*>(plain.data()),
                  static_cast<int>(plain.size()));
  encoded.pop_back();  // the zero byte
  return Secret<std::string>(std::move(encoded));
}

Secret<std::string> connect_request(const ProxyUrl& proxy, const std::string& authority) {
  const Secret<std::string> credentials = proxy.has_credentials() ? basic_credentials(proxy) : Secret<std::string>();
  std::string text;
  text.reserve(2 * authority.size() + credentials.reveal().size() + 100);
  text.append("CONNECT ").append(authority).append(" HTTP/1.1\r\nHost: ").append(authority).append("\r\n");
  if (!credentials.empty()) text.append("Proxy-Authorization: Basic ").append(credentials.reveal()).append("\r\n");
  return Secret<std::string>(std::move(text.append("\r\n")));
}

asio::awaitable<Result<void>> tunnel_by_connect(ProxyTalk& talk, const ProxyUrl& proxy, const std::string& authority) {
  const Secret<std::string> request = connect_request(proxy, authority);
  const Result<void> sent = co_await talk.send(request.reveal());
  if (sent.has_error()) co_return sent.error();
  ConnectAnswer answer;
  while (!answer.is_whole()) {
    const Result<std::string_view> came = co_await talk.receive();
    if (came.has_error()) co_return came.error();
    const Result<void> taken = answer.put(*came);
    if (taken.has_error()) co_return taken.error();
  }
  co_return answer.verdict(proxy, authority);
}

asio::awaitable<Result<void>> tunnel_by_socks(ProxyTalk& talk, const ProxyUrl& proxy, const Destination& destination) {
  Socks5 socks(proxy, destination.host, destination.port);
  Secret<std::string> next(socks.greeting());
  while (!socks.is_open()) {
    const Result<void> sent = co_await talk.send(next.reveal());
    if (sent.has_error()) co_return sent.error();
    const Result<std::string_view> came = co_await talk.receive();
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
  // It becomes a part of the request: what could end a line must not get that far, whoever made the URL or the connect-to rule.
  if (!is_graphic(destination.host)) {
    co_return Failure(Errc::invalid_argument, fmt::format("{} is no host that a proxy can be asked for", quoted(destination.host)))
        .with_phase(Phase::connect);
  }
  const std::string authority = Endpoint(destination.host, destination.port).to_text();
  const std::string shown = quoted(proxy.shown());
  ProxyTalk talk(stream, step, fmt::format("opening a tunnel to {} through the proxy {}", quoted(authority), shown));
  Result<void> opened;
  if (proxy.is_socks()) {
    opened = co_await tunnel_by_socks(talk, proxy, destination);
  } else {
    opened = co_await tunnel_by_connect(talk, proxy, authority);
  }
  if (opened.has_value()) co_return opened;
  Failure failure = opened.error();
  failure.with_phase(Phase::connect);
  // What the step says of itself is a sentence already.
  if (!is_timeout(failure.code()) && failure.code() != Errc::cancelled)
    failure.with_what(fmt::format("the proxy {} {}", shown, failure.what()));
  co_return failure;
}

}  // namespace rollcall
