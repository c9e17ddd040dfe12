#include "sim/serve/handler_transport.hpp"

#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <exception>
#include <map>
#include <utility>

#include "async/spawn.hpp"
#include "net/codec/request_writer.hpp"
#include "sim/serve/handler_pipe.hpp"
#include "sim/serve/memory_transport.hpp"

namespace rollcall::sim {

namespace {

class PipeTransport final : public HandlerTransport, public std::enable_shared_from_this<PipeTransport> {
 public:
  PipeTransport(asio::any_io_executor executor, HttpServer::Handler handler, std::shared_ptr<TimeSource> time)
      : executor_(std::move(executor)), handler_(std::make_shared<HttpServer::Handler>(std::move(handler))),
        timers_(std::make_shared<TimerQueue>(std::move(time), executor_)) {}
  ~PipeTransport() override {
    const Pipes all = *pipes_;
    for (const auto& [number, pipe] : all) pipe->signal().emit(asio::cancellation_type::terminal);
  }

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override;
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions& options) override;
  void close() override {
    is_closed_ = true;
    const Pipes all = *pipes_;
    for (const auto& [number, pipe] : all) pipe->close();
  }
  void refuse(bool on) override { is_refusing_ = on; }
  void break_all() override {
    const Pipes all = *pipes_;
    for (const auto& [number, pipe] : all) pipe->cut();
  }
  std::uint64_t calls() const override { return calls_; }
  std::size_t in_flight() const override { return pipes_->size(); }

 private:
  using Pipes = std::map<std::uint64_t, std::shared_ptr<PipeExchange>>;
  std::shared_ptr<PipeExchange> connect(const HttpRequest& request);

  asio::any_io_executor executor_;
  std::shared_ptr<HttpServer::Handler> handler_;
  std::shared_ptr<TimerQueue> timers_;
  std::shared_ptr<Pipes> pipes_ = std::make_shared<Pipes>();  // connections whose handlers have not returned
  std::uint64_t calls_ = 0;
  std::uint64_t connections_ = 0;
  bool is_refusing_ = false;
  bool is_closed_ = false;
};

// Owns everything that it uses, since the transport may be destroyed before the handler ends.
asio::awaitable<void> run_handler(std::shared_ptr<HttpServer::Handler> handler, std::shared_ptr<PipeExchange> pipe, int refusal) {
  if (refusal == 0) {
    co_await (*handler)(*pipe);
    co_return;
  }
  HttpResponse response;
  response.status = refusal;
  co_await pipe->reply(response);
}

std::shared_ptr<PipeExchange> PipeTransport::connect(const HttpRequest& request) {
  std::string text;
  append_request(text, request, {});
  const auto pipe = std::make_shared<PipeExchange>();
  const int refusal = pipe->receive(text, request.url.is_https);
  const std::uint64_t number = ++connections_;
  pipes_->emplace(number, pipe);
  // If a handler throws, only its connection ends.
  auto on_end = [pipe, number, pipes = pipes_](std::exception_ptr) {
    pipe->end();
    pipes->erase(number);
  };
  spawn(executor_, run_handler(handler_, pipe, refusal), pipe->signal().slot(), std::move(on_end));
  return pipe;
}

asio::awaitable<Result<std::unique_ptr<HttpStream>>> PipeTransport::open(const HttpRequest& request, const ExchangeOptions& options) {
  const auto self = shared_from_this();
  ++calls_;
  co_await asio::post(asio::use_awaitable);  // an answer never arrives in the same turn as its request
  const std::string target = request.url.without_query();
  const auto ended = [&target](Errc code, std::string what, Phase phase) {
    return Failure(code, std::move(what)).with_phase(phase).with_target(target);
  };
  if (is_closed_) co_return ended(Errc::cancelled, "the transport was closed", Phase::overall);
  const Result<void> checked = check_request(request);
  if (!checked) co_return checked.error();
  if (timers_->now() >= options.deadline)
    co_return ended(Errc::deadline_exceeded, "the deadline had passed before the request", Phase::overall);
  ExchangeObserver* const observer = options.observer;
  if (observer) {
    observer->connection_chosen(false);
    observer->phase_started(Phase::connect);
    observer->phase_finished(Phase::connect);
  }
  if (is_refusing_) co_return ended(Errc::unreachable, "connection refused", Phase::connect);
  if (observer) observer->phase_started(Phase::response);
  Result<std::unique_ptr<HttpStream>> stream = co_await open_pipe(timers_, connect(request), options, target);
  if (observer) observer->phase_finished(Phase::response);
  co_return stream;
}

asio::awaitable<Result<HttpResponse>> PipeTransport::send(const HttpRequest& request, const ExchangeOptions& options) {
  Result<std::unique_ptr<HttpStream>> stream = co_await open(request, options);
  co_return co_await whole_answer(std::move(stream));
}

}  // namespace

std::shared_ptr<HandlerTransport> make_handler_transport(asio::any_io_executor executor, HttpServer::Handler handler,
                                                         std::shared_ptr<TimeSource> time) {
  return std::make_shared<PipeTransport>(std::move(executor), std::move(handler), std::move(time));
}

}  // namespace rollcall::sim
