#include "net/http/http_transport.hpp"

#include <algorithm>
#include <asio/this_coro.hpp>
#include <utility>

#include "async/loop_life.hpp"
#include "net/http/http_exchange.hpp"

namespace rollcall {

namespace {

class ExchangeStream final : public HttpStream {
 public:
  explicit ExchangeStream(std::unique_ptr<Exchange> exchange) : exchange_(std::move(exchange)), head_(exchange_->response()) {}

  const HttpResponse& head() const override { return head_; }

  asio::awaitable<Result<std::string_view>> read() override {
    const auto state = co_await asio::this_coro::cancellation_state;
    try {
      exchange_->next_piece();
      if (!exchange_->try_advance(state)) co_await exchange_->advance();
      if (exchange_->failure()) co_return *exchange_->failure();
    } catch (...) {
      exchange_->abandon();
      throw;
    }
    co_return exchange_->piece();
  }

 private:
  std::unique_ptr<Exchange> exchange_;
  HttpResponse& head_;
};

class SocketTransport final : public HttpTransport, private LoopEnd {
 public:
  explicit SocketTransport(std::shared_ptr<HttpCore> core) : LoopEnd(core->executor), core_(std::move(core)) {}
  ~SocketTransport() override { core_->pool->close(); }

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override {
    Exchange exchange(core_, request, options, false);
    const auto state = co_await asio::this_coro::cancellation_state;
    try {
      if (!exchange.try_advance(state)) co_await exchange.advance();
      if (exchange.needs_connection()) co_await exchange.connect();
      if (exchange.failure()) co_return *exchange.failure();
    } catch (...) {
      exchange.abandon();
      throw;
    }
    co_return std::move(exchange.response());
  }

  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions& options) override {
    auto exchange = std::make_unique<Exchange>(core_, request, options, true);
    const auto state = co_await asio::this_coro::cancellation_state;
    try {
      if (!exchange->try_advance(state)) co_await exchange->advance();
      if (exchange->needs_connection()) co_await exchange->connect();
      if (exchange->failure()) co_return *exchange->failure();
    } catch (...) {
      exchange->abandon();
      throw;
    }
    std::unique_ptr<HttpStream> stream = std::make_unique<ExchangeStream>(std::move(exchange));
    co_return std::move(stream);
  }

  void close() override { core_->close(); }

 private:
  void on_loop_end() noexcept override {
    core_->pool->close();
    core_->pool->abandon();
  }

  const std::shared_ptr<HttpCore> core_;
};

}  // namespace

HttpCore::HttpCore(asio::any_io_executor loop, std::shared_ptr<TimerQueue> queue, NetworkOptions network,
                   std::shared_ptr<MemoryAccount> account)
    : executor(std::move(loop)), timers(std::move(queue)), options(std::move(network)), memory(std::move(account)),
      dialer(executor, timers, options),
      pool(std::make_shared<ConnectionPool>(executor, *timers, options.max_connections_per_host, options.max_idle_connections_per_host,
                                            options.max_idle_time)),
      steps(std::make_shared<LoopThrottle>(executor, steps_per_turn)) {}

HttpCore::~HttpCore() = default;

std::unique_ptr<Inflater> HttpCore::take_inflater() {
  if (!spare_inflater_) return std::make_unique<Inflater>();
  spare_inflater_->reset();
  return std::move(spare_inflater_);
}

void HttpCore::close() {
  is_closed = true;
  pool->close();
  for (Exchange& exchange : exchanges) exchange.close();
}

std::shared_ptr<HttpTransport> make_http_transport(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers,
                                                   NetworkOptions options, std::shared_ptr<MemoryAccount> memory) {
  return std::make_shared<SocketTransport>(
      std::make_shared<HttpCore>(std::move(executor), std::move(timers), std::move(options), std::move(memory)));
}

}  // namespace rollcall
