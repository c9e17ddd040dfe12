#include "net/dial/tcp_probe.hpp"

#include "net/dial/dialer.hpp"

namespace rollcall {
namespace {

class SocketProbe final : public TcpProbe, public std::enable_shared_from_this<SocketProbe> {
 public:
  SocketProbe(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers, NetworkOptions network)
      : executor_(std::move(executor)), timers_(std::move(timers)), network_(std::move(network)) {}

  asio::awaitable<Result<void>> connect(const Endpoint& endpoint, SteadyTime deadline) override {
    const auto self = shared_from_this();
    if (!dialer_) dialer_.emplace(executor_, timers_, network_);
    Url url;
    url.host = endpoint.host;
    url.port = *endpoint.port;
    ExchangeOptions options;
    options.deadline = deadline;
    options.allow_proxy = false;
    const Result<Stream> stream = co_await dialer_->dial(url, options);
    if (stream) co_return Result<void>();
    Failure failure = stream.error();
    if (failure.code() == Errc::deadline_exceeded) {
      failure.with_code(failure.phase() == Phase::resolve ? Errc::resolve_timeout : Errc::connect_timeout);
    }
    co_return failure;
  }

 private:
  asio::any_io_executor executor_;
  std::shared_ptr<TimerQueue> timers_;
  NetworkOptions network_;
  std::optional<Dialer> dialer_;
};

}  // namespace

std::shared_ptr<TcpProbe> make_tcp_probe(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers, NetworkOptions network) {
  return std::make_shared<SocketProbe>(std::move(executor), std::move(timers), std::move(network));
}

}  // namespace rollcall
