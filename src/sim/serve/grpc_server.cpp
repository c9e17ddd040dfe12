// Serves the cloud's workers on sockets by gRPC.
#include <fmt/format.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <chrono>
#include <mutex>

#include "base/text.hpp"
#include "net/grpc/grpc_compression.hpp"
#include "net/socket/descriptor.hpp"
#include "sim/serve/socket_servers.hpp"
#include "sim/workers/rpc_dispatcher.hpp"

namespace rollcall::sim {

namespace {

class ServedCall;

// The open calls. The code that takes a call from here must end it, so that a call ends exactly once. Used by gRPC's threads
// and the executor; the executor is not used after close().
class CallBook {
 public:
  explicit CallBook(asio::any_io_executor executor) : executor_(std::move(executor)) {}
  void set_dispatcher(std::shared_ptr<RpcDispatcher> dispatcher) { dispatcher_ = std::move(dispatcher); }

  std::uint64_t add(ServedCall& call);  // 0 if closed: then the call has been ended
  void arrive(std::uint64_t id, RpcRequest request);
  void cancel(std::uint64_t id);
  void end(std::uint64_t id, const RpcReply& reply);
  /// Ends the calls of one listener, as if its worker had died.
  void end_all(const void* listener);
  void close();

 private:
  std::vector<ServedCall*> take_all(const void* listener);

  std::mutex mutex_;
  bool is_open_ = true;
  asio::any_io_executor executor_;
  std::shared_ptr<RpcDispatcher> dispatcher_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, ServedCall*> calls_;
};

// Lives until gRPC's last notification about the call.
class ServedCall final : public grpc::ServerGenericBidiReactor {
 public:
  ServedCall(std::shared_ptr<CallBook> book, const void* listener, std::string address, std::string method)
      : book_(std::move(book)), listener_(listener), request_(std::move(address), std::move(method)) {
    id_ = book_->add(*this);
    if (id_ != 0) StartRead(&buffer_);
  }

  void OnReadDone(bool is_there) override {
    std::vector<grpc::Slice> slices;
    if (is_there && is_compressed(buffer_)) {
      book_->end(id_, RpcReply(RpcAnswer(RpcStatus::unimplemented, "compressed requests are not taken")));
    } else if (is_there && buffer_.Dump(&slices).ok()) {
      for (const grpc::Slice& slice : slices) request_.message.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
      book_->arrive(id_, std::move(request_));
    } else {
      book_->end(id_, RpcReply(RpcAnswer(RpcStatus::internal, "the call has no request")));
    }
  }
  void OnCancel() override { book_->cancel(id_); }
  void OnDone() override { delete this; }

  const void* listener() const noexcept { return listener_; }

  /// Called once, by the code that took the call from the book.
  void finish(const RpcReply& reply) {
    switch (reply.end) {
      case RpcEnd::refuse: return fail(RpcStatus::unavailable, "connection refused");
      case RpcEnd::unknown_host: return fail(RpcStatus::unavailable, "the simulation file has no worker of this name");
      case RpcEnd::reset: return fail(RpcStatus::unavailable, "connection reset by peer");
      case RpcEnd::answer: break;
    }
    if (reply.answer.status != RpcStatus::ok) return fail(reply.answer.status, reply.answer.status_message);
    const grpc::Slice slice(reply.answer.message);
    answer_ = grpc::ByteBuffer(&slice, 1);
    StartWriteAndFinish(&answer_, grpc::WriteOptions(), grpc::Status::OK);
  }

 private:
  void fail(RpcStatus status, const std::string& message) { Finish(grpc::Status(static_cast<grpc::StatusCode>(status), message)); }

  std::shared_ptr<CallBook> book_;
  const void* listener_;
  std::uint64_t id_ = 0;
  RpcRequest request_;
  grpc::ByteBuffer buffer_;
  grpc::ByteBuffer answer_;
};

std::uint64_t CallBook::add(ServedCall& call) {
  {
    const std::lock_guard lock(mutex_);
    if (is_open_) {
      calls_.emplace(++last_id_, &call);
      return last_id_;
    }
  }
  call.finish(RpcReply(RpcEnd::reset));
  return 0;
}

void CallBook::arrive(std::uint64_t id, RpcRequest request) {
  const std::lock_guard lock(mutex_);
  if (!is_open_ || !calls_.contains(id)) return;
  asio::post(executor_, [dispatcher = dispatcher_, id, asked = std::move(request)]() mutable { dispatcher->begin(id, std::move(asked)); });
}

void CallBook::cancel(std::uint64_t id) {
  end(id, RpcReply(RpcAnswer(RpcStatus::cancelled, "")));
  const std::lock_guard lock(mutex_);
  if (is_open_) asio::post(executor_, [dispatcher = dispatcher_, id] { dispatcher->forget(id); });
}

void CallBook::end(std::uint64_t id, const RpcReply& reply) {
  ServedCall* call = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;
    call = found->second;
    calls_.erase(found);
  }
  call->finish(reply);
}

std::vector<ServedCall*> CallBook::take_all(const void* listener) {
  std::vector<ServedCall*> out;
  const std::lock_guard lock(mutex_);
  std::erase_if(calls_, [&](const auto& entry) {
    const bool is_taken = !listener || entry.second->listener() == listener;
    if (is_taken) out.push_back(entry.second);
    return is_taken;
  });
  if (!listener) {
    is_open_ = false;
    executor_ = asio::any_io_executor();
    dispatcher_.reset();
  }
  return out;
}

void CallBook::end_all(const void* listener) {
  for (ServedCall* const call : take_all(listener)) call->finish(RpcReply(RpcEnd::reset));
}

void CallBook::close() { end_all(nullptr); }

// One port. Its calls are for `address`, or, if that is empty, for the worker in their :authority.
class Listener final : public grpc::CallbackGenericService {
 public:
  Listener(std::shared_ptr<CallBook> book, std::string address) : book_(std::move(book)), address_(std::move(address)) {}
  ~Listener() override { stop(); }

  /// The port, or 0.
  int start(const std::string& at) {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    take_no_compression(builder);
    builder.AddListeningPort(at, grpc::InsecureServerCredentials(), &port);
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
    return server_ ? port : 0;
  }

  void stop() {
    if (!server_) return;
    book_->end_all(this);
    server_->Shutdown(std::chrono::system_clock::now());
    server_.reset();
  }

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    return new ServedCall(book_, this, address_.empty() ? context->host() : address_, context->method());
  }

 private:
  std::shared_ptr<CallBook> book_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

bool is_of_this_machine(const std::string& host) {
  std::error_code error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

}  // namespace

class GrpcServer::Impl {
 public:
  std::shared_ptr<Cloud> cloud;
  std::shared_ptr<TimerQueue> timers;
  std::shared_ptr<CallBook> book;
  std::shared_ptr<RpcDispatcher> dispatcher;
  std::vector<Endpoint> own;  // addresses with their own listener
  std::map<std::string, std::unique_ptr<Listener>> listeners;
  std::unique_ptr<Listener> shared;
  std::vector<std::string> connect_to;
  std::uint16_t shared_port = 0;
  Timer timer;

  // Opens and closes listeners by the script. A listener that cannot be opened again stays closed until the script's next change.
  void follow_script() {
    const SteadyTime now = timers->now();
    for (const Endpoint& address : own) {
      const std::string text = address.to_text();
      const auto listener = listeners.find(text);
      const bool is_running = cloud->is_worker_running(address, now);
      if (is_running && listener == listeners.end()) {
        auto opened = std::make_unique<Listener>(book, text);
        if (opened->start(text) != 0) listeners.emplace(text, std::move(opened));
      } else if (!is_running && listener != listeners.end()) {
        listeners.erase(listener);
      }
    }
    timer.set(*timers, cloud->next_worker_change(now), [](void* impl) noexcept { static_cast<Impl*>(impl)->follow_script(); }, this);
  }

  void stop() {
    timer.cancel();
    book->close();
    dispatcher->close();
    listeners.clear();
    shared.reset();
  }
};

GrpcServer::GrpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GrpcServer::~GrpcServer() { stop(); }
const std::vector<std::string>& GrpcServer::connect_to() const noexcept { return impl_->connect_to; }
std::uint16_t GrpcServer::shared_port() const noexcept { return impl_->shared_port; }
void GrpcServer::stop() { impl_->stop(); }

Result<std::unique_ptr<GrpcServer>> GrpcServer::start(asio::any_io_executor executor, std::shared_ptr<Cloud> cloud,
                                                      std::shared_ptr<TimerQueue> timers, std::string shared_ip) {
  auto impl = std::make_unique<Impl>();
  impl->cloud = cloud;
  impl->timers = timers;
  impl->book = std::make_shared<CallBook>(executor);
  const std::weak_ptr<CallBook> book = impl->book;
  impl->dispatcher = std::make_shared<RpcDispatcher>(cloud, timers, executor, [book](std::uint64_t id, const RpcReply& reply) {
    if (const auto open = book.lock()) open->end(id, reply);
  });
  impl->book->set_dispatcher(impl->dispatcher);
  std::vector<Endpoint> others;
  for (const Endpoint& address : cloud->worker_addresses()) (is_of_this_machine(address.host) ? impl->own : others).push_back(address);
  for (const Endpoint& address : impl->own) {
    const Result<void> is_free = check_free(executor, address.host, *address.port);
    if (!is_free) return is_free.error();
  }
  if (!others.empty()) {
    impl->shared = std::make_unique<Listener>(impl->book, "");
    const int port = impl->shared->start(Endpoint(shared_ip, std::uint16_t{0}).to_text());
    if (port == 0) return Failure(Errc::failed_precondition, fmt::format("cannot listen on {} for the workers", printable(shared_ip)));
    impl->shared_port = static_cast<std::uint16_t>(port);
    const std::string here = Endpoint(shared_ip, impl->shared_port).to_text();
    for (const Endpoint& address : others) impl->connect_to.push_back(fmt::format("{}:{}", address.to_text(), here));
  }
  impl->follow_script();
  return std::unique_ptr<GrpcServer>(new GrpcServer(std::move(impl)));
}

}  // namespace rollcall::sim
