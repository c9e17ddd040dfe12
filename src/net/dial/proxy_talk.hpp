// A few bytes to a proxy and a few back, until its tunnel stands.
#pragma once

#include <asio/awaitable.hpp>
#include <string>
#include <string_view>

#include "base/proxy_url.hpp"
#include "net/socket/dial_step.hpp"
#include "net/socket/stream.hpp"

namespace rollcall {

class ProxyTalk {
 public:
  /// Both must outlive this. `doing`, for messages: "opening a tunnel to …".
  ProxyTalk(Stream& stream, DialStep& step, std::string doing) : stream_(stream), step_(step), doing_(std::move(doing)) {}

  /// Sends all of it. `bytes` must outlive the await. Errors: unreachable, and what the step says.
  asio::awaitable<Result<void>> send(std::string_view bytes);
  /// What came, at least a byte and at most 2 kB; the view is good until the next call. Errors: as send().
  asio::awaitable<Result<std::string_view>> receive();

 private:
  asio::awaitable<Result<void>> wait(IoStatus wanted);
  Stream& stream_;
  DialStep& step_;
  std::string doing_;
  char buffer_[2048];
};

}  // namespace rollcall
