// The workers without sockets: an RpcTransport and a TcpProbe over a Cloud.
#include <fmt/format.h>

#include <algorithm>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <map>
#include <set>

#include "async/async_event.hpp"
#include "async/timer_queue.hpp"
#include "rollcall/sim/memory.hpp"

namespace rollcall::sim {

namespace {

Failure failed_connect(Errc code, std::string what, const RpcRequest& request) {
  return Failure(code, std::move(what))
      .with_phase(code == Errc::unknown_host ? Phase::resolve : Phase::connect)
      .with_target(request.address);
}

Failure failed_answer(Errc code, std::string what, const RpcRequest& request) {
  return Failure(code, std::move(what)).with_phase(Phase::response).with_target(request.address);
}

Result<RpcAnswer> to_result(RpcReply reply, const RpcRequest& request, const RpcOptions& options) {
  switch (reply.end) {
    case RpcEnd::refuse: return failed_connect(Errc::unreachable, "connection refused", request);
    case RpcEnd::unknown_host: return failed_connect(Errc::unknown_host, "the host's name is not known", request);
    case RpcEnd::reset: return failed_answer(Errc::unreachable, "connection reset by peer", request);
    case RpcEnd::answer: break;
  }
  if (reply.answer.message.size() <= options.max_message_bytes) return std::move(reply.answer);
  return failed_answer(Errc::limit_exceeded,
                       fmt::format("the answer has {} bytes, {} are allowed", reply.answer.message.size(), options.max_message_bytes),
                       request);
}

class CloudRpcTransport final : public MemoryRpcTransport, public std::enable_shared_from_this<CloudRpcTransport> {
 public:
  CloudRpcTransport(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimeSource> time, asio::any_io_executor executor)
      : cloud_(std::move(cloud)), timers_(std::make_shared<TimerQueue>(std::move(time), std::move(executor))) {
    cloud_->start(timers_->now(), timers_->time().wall_now());
  }

  void fail_call(std::uint64_t number, Failure failure) override { failing_.insert_or_assign(calls_ + number, std::move(failure)); }
  std::uint64_t calls() const override { return calls_; }
  std::size_t in_flight() const override { return in_flight_.size(); }

  void close() override {
    is_closed_ = true;
    for (AsyncEvent* const event : in_flight_) event->wake();
  }

  asio::awaitable<Result<RpcAnswer>> call(const RpcRequest& request, const RpcOptions& options) override {
    const auto self = shared_from_this();
    AsyncEvent event;
    const Listing listing(in_flight_, event);
    const auto failing = failing_.find(++calls_);
    const std::optional<Failure> failure = failing == failing_.end() ? std::nullopt : std::optional<Failure>(failing->second);
    if (failure) failing_.erase(failing);
    co_await asio::post(asio::use_awaitable);  // an answer never arrives in the same turn as its request
    if (failure) co_return *failure;
    if (request.is_tls) co_return failed_connect(Errc::tls_failed, "the worker does not speak TLS", request).with_phase(Phase::handshake);
    const std::shared_ptr<void> subscription = cloud_->subscribe([&event] { event.wake(); });
    std::optional<RpcHeld> held;
    while (true) {
      if (is_closed_) co_return Failure(Errc::cancelled, "the transport was closed").with_target(request.address);
      RpcReply reply = cloud_->handle_rpc(request, timers_->now(), held);
      if (!reply.hold) co_return to_result(std::move(reply), request, options);
      held = std::move(reply.hold);
      if (timers_->now() >= options.deadline) co_return failed_answer(Errc::response_timeout, "the worker is silent", request);
      const bool is_woken = co_await event.wait_until(*timers_, std::min(held->ask_again, options.deadline));
      if (!is_woken) co_return Failure(Errc::cancelled, "the call was cancelled").with_target(request.address);
    }
  }

 private:
  class Listing {  // counts a call in flight
   public:
    Listing(std::set<AsyncEvent*>& all, AsyncEvent& event) : all_(all), event_(&event) { all_.insert(event_); }
    ~Listing() { all_.erase(event_); }
    Listing(const Listing&) = delete;
    Listing& operator=(const Listing&) = delete;

   private:
    std::set<AsyncEvent*>& all_;
    AsyncEvent* event_;
  };

  std::shared_ptr<Cloud> cloud_;
  std::shared_ptr<TimerQueue> timers_;
  std::uint64_t calls_ = 0;
  bool is_closed_ = false;
  std::map<std::uint64_t, Failure> failing_;
  std::set<AsyncEvent*> in_flight_;
};

}  // namespace

std::shared_ptr<MemoryRpcTransport> make_memory_rpc_transport(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimeSource> time,
                                                              asio::any_io_executor executor) {
  return std::make_shared<CloudRpcTransport>(std::move(cloud), std::move(time), std::move(executor));
}

namespace {

class CloudProbe final : public TcpProbe, public std::enable_shared_from_this<CloudProbe> {
 public:
  CloudProbe(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimeSource> time) : cloud_(std::move(cloud)), time_(std::move(time)) {
    cloud_->start(time_->now(), time_->wall_now());
  }

  asio::awaitable<Result<void>> connect(const Endpoint& endpoint, SteadyTime) override {
    const auto self = shared_from_this();
    co_await asio::post(asio::use_awaitable);  // an answer never arrives in the same turn as its request
    if (cloud_->is_worker_running(endpoint, time_->now())) co_return Result<void>();
    co_return Failure(Errc::unreachable, "connection refused").with_phase(Phase::connect).with_target(endpoint.to_text());
  }

 private:
  std::shared_ptr<Cloud> cloud_;
  std::shared_ptr<TimeSource> time_;
};

}  // namespace

std::shared_ptr<TcpProbe> make_memory_tcp_probe(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimeSource> time) {
  return std::make_shared<CloudProbe>(std::move(cloud), std::move(time));
}

}  // namespace rollcall::sim
