#include "net/dial/proxy_talk.hpp"

namespace rollcall {
namespace {

Failure connection_to_proxy_broke(const std::error_code& error) {
  return Failure(Errc::unreachable, "broke the connection: " + error.message()).with_phase(Phase::connect);
}

}  // namespace

asio::awaitable<Result<void>> ProxyTalk::wait(IoStatus wanted) {
  using asio::ip::tcp;
  const auto what = wanted == IoStatus::want_write ? tcp::socket::wait_write : tcp::socket::wait_read;
  const bool goes_on = co_await step_.wait(stream_.socket(), what);
  if (!goes_on) co_return step_.why_stopped(doing_);
  co_return Result<void>();
}

asio::awaitable<Result<void>> ProxyTalk::send(std::string_view bytes) {
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

asio::awaitable<Result<std::string_view>> ProxyTalk::receive() {
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

}  // namespace rollcall
