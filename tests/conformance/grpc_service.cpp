#include "conformance/grpc_service.hpp"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <mutex>

#include "async/async_event.hpp"

namespace rollcall::conformance {

class Served;

// State that gRPC's threads and the loop share.
class GrpcService::Impl final : public grpc::CallbackGenericService {
 public:
  Impl(asio::any_io_executor executor, GrpcScript& script, Traffic& traffic, std::shared_ptr<TimerQueue> timers)
      : executor_(std::move(executor)), script_(script), traffic_(traffic), timers_(std::move(timers)) {}

  void start() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
  }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
    }
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
    server_.reset();
  }

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override;
  void arrive(std::shared_ptr<Served> call);

  int port = 0;

 private:
  asio::awaitable<void> serve(std::shared_ptr<Served> call);

  std::mutex mutex_;
  bool is_stopped_ = false;
  asio::any_io_executor executor_;
  GrpcScript& script_;
  Traffic& traffic_;
  std::shared_ptr<TimerQueue> timers_;
  std::unique_ptr<grpc::Server> server_;
};

class Served {
 public:
  std::string target;
  std::string method;
  std::string message;
  std::mutex mutex;
  grpc::ServerGenericBidiReactor* reactor = nullptr;  // until it is finished
  grpc::ByteBuffer answer;

  void finish(const RpcAnswer& with) {
    const std::lock_guard lock(mutex);
    if (!reactor) return;
    if (with.status == RpcStatus::ok) {
      const grpc::Slice slice(with.message);
      answer = grpc::ByteBuffer(&slice, 1);
      std::exchange(reactor, nullptr)->StartWriteAndFinish(&answer, grpc::WriteOptions(), grpc::Status::OK);
    } else {
      std::exchange(reactor, nullptr)->Finish(grpc::Status(static_cast<grpc::StatusCode>(with.status), with.status_message));
    }
  }
};

namespace {

class Reactor final : public grpc::ServerGenericBidiReactor {
 public:
  Reactor(GrpcService::Impl& service, std::shared_ptr<Served> call) : service_(service), call_(std::move(call)) {
    call_->reactor = this;
    StartRead(&buffer_);
  }
  void OnReadDone(bool) override {
    std::vector<grpc::Slice> slices;
    if (buffer_.Dump(&slices).ok()) {
      for (const grpc::Slice& slice : slices) call_->message.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    }
    service_.arrive(call_);
  }
  void OnCancel() override { call_->finish(RpcAnswer(RpcStatus::cancelled, "")); }
  void OnDone() override { delete this; }

 private:
  GrpcService::Impl& service_;
  std::shared_ptr<Served> call_;
  grpc::ByteBuffer buffer_;
};

class WatchedTransport final : public RpcTransport {
 public:
  WatchedTransport(std::shared_ptr<RpcTransport> inner, Traffic& traffic) : inner_(std::move(inner)), traffic_(traffic) {}
  asio::awaitable<Result<RpcAnswer>> call(const RpcRequest& request, const RpcOptions& options) override {
    const std::uint64_t id = traffic_.begin_call(request.address + request.method);
    const Traffic::Mark mark(traffic_.under_way(), id);
    Result<RpcAnswer> answer = co_await inner_->call(request, options);
    co_return answer;
  }
  void close() override { inner_->close(); }

 private:
  std::shared_ptr<RpcTransport> inner_;
  Traffic& traffic_;
};

}  // namespace

grpc::ServerGenericBidiReactor* GrpcService::Impl::CreateReactor(grpc::GenericCallbackServerContext* context) {
  auto call = std::make_shared<Served>();
  call->target = context->host();
  call->method = context->method();
  return new Reactor(*this, std::move(call));
}

void GrpcService::Impl::arrive(std::shared_ptr<Served> call) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_) return call->finish(RpcAnswer(RpcStatus::unavailable, "the case is over"));
  asio::post(executor_, [this, call] { asio::co_spawn(executor_, serve(call), asio::detached); });
}

asio::awaitable<void> GrpcService::Impl::serve(std::shared_ptr<Served> call) {
  const std::uint64_t id = traffic_.arrived(call->target + call->method);
  const GrpcScript::Pick pick = script_.take(call->target, call->method, call->message);
  if (pick.delay.count() > 0) {
    const Traffic::Mark mark(traffic_.delayed(), id);
    const bool woken = co_await sleep_until(*timers_, timers_->now() + pick.delay);
    static_cast<void>(woken);
  }
  call->finish(pick.answer);
}

GrpcService::GrpcService(asio::any_io_executor executor, GrpcScript& script, Traffic& traffic, std::shared_ptr<TimerQueue> timers,
                         bool is_needed)
    : impl_(std::make_unique<Impl>(std::move(executor), script, traffic, std::move(timers))) {
  if (is_needed) impl_->start();
}
GrpcService::~GrpcService() { impl_->stop(); }
std::uint16_t GrpcService::port() const noexcept { return static_cast<std::uint16_t>(impl_->port); }
void GrpcService::stop() { impl_->stop(); }

std::shared_ptr<RpcTransport> make_watched_transport(std::shared_ptr<RpcTransport> inner, Traffic& traffic) {
  return std::make_shared<WatchedTransport>(std::move(inner), traffic);
}

}  // namespace rollcall::conformance
