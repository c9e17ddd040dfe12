#include "net/grpc/grpc_stream_calls.hpp"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>

#include <asio/post.hpp>
#include <utility>

#include "base/url.hpp"
#include "net/grpc/grpc_compression.hpp"
#include "net/server/server_context.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {

class StreamCall;

// What the executor and gRPC's threads know of one call. But for `call`, which is set before it is shared, it is the executor's. gRPC's
// object lives until finish(), which the executor alone calls, so that no lock is needed.
class StreamState {
 public:
  ServerRequest request;
  StreamCall* call = nullptr;
  std::optional<std::string> message;
  AsyncEvent* event = nullptr;
  bool is_writing = false;
  bool is_closed = false;
  bool is_finished = false;

  void wake() const {
    if (event) event->wake();
  }
  void finish(const grpc::Status& status);
};
// gRPC's side. Its callbacks only post; it lives until gRPC has nothing more to say about it, which is after Finish().
class StreamCall final : public grpc::ServerGenericBidiReactor {
 public:
  StreamCall(std::shared_ptr<StreamBook> book, StreamStatePtr state, grpc::GenericCallbackServerContext* context)
      : book_(std::move(book)), state_(std::move(state)), context_(context) {}

  void read() { StartRead(&incoming_); }
  void write(const std::string& message) {
    const grpc::Slice slice(message);
    outgoing_ = grpc::ByteBuffer(&slice, 1);
    StartWrite(&outgoing_);
  }
  void give_up() { context_->TryCancel(); }

  void OnReadDone(bool is_there) override {
    asio::post(book_->executor_, [state = state_, is_there] {
      if (!state->is_finished) state->call->take(*state, is_there);
    });
  }
  void OnWriteDone(bool is_fine) override {
    asio::post(book_->executor_, [state = state_, is_fine] {
      state->is_writing = false;
      state->is_closed = state->is_closed || !is_fine;
      state->wake();
    });
  }
  void OnCancel() override {
    asio::post(book_->executor_, [state = state_] {
      state->is_closed = true;
      state->wake();
    });
  }
  void OnDone() override {
    book_->remove(state_);
    delete this;
  }

 private:
  void take(StreamState& state, bool is_there) {
    std::vector<grpc::Slice> slices;
    if (!is_there || is_compressed(incoming_) || !incoming_.Dump(&slices).ok()) {
      state.is_closed = true;
    } else {
      state.message.emplace();
      for (const grpc::Slice& slice : slices) state.message->append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    }
    incoming_.Clear();
    state.wake();
  }

  std::shared_ptr<StreamBook> book_;
  StreamStatePtr state_;
  grpc::GenericCallbackServerContext* context_;
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
};

void StreamState::finish(const grpc::Status& status) {
  if (std::exchange(is_finished, true)) return;
  if (is_writing) call->give_up();  // a client that takes nothing would not take the status either
  call->Finish(status);
  call = nullptr;
  is_closed = true;
}

namespace {

class GrpcServerStream final : public RpcServerStream {
 public:
  explicit GrpcServerStream(StreamStatePtr state) : state_(std::move(state)) { state_->call->read(); }
  ~GrpcServerStream() override {
    state_->event = nullptr;
    state_->finish(grpc::Status(grpc::StatusCode::CANCELLED, ""));
  }

  const ServerRequest& request() const noexcept override { return state_->request; }
  void watch(AsyncEvent* event) noexcept override { state_->event = event; }
  std::optional<std::string> take_message() override {
    std::optional<std::string> message = std::exchange(state_->message, std::nullopt);
    if (message && !state_->is_finished) state_->call->read();
    return message;
  }
  bool is_writable() const noexcept override { return !state_->is_writing && !state_->is_closed; }
  void write(const std::string& message) override {
    if (!is_writable()) return;
    state_->is_writing = true;
    state_->call->write(message);
  }
  bool is_closed() const noexcept override { return state_->is_closed; }
  void finish(RpcStatus status, const std::string& message) override {
    state_->finish(grpc::Status(static_cast<grpc::StatusCode>(status), message));
  }

 private:
  StreamStatePtr state_;
};

class RefusedCall final : public grpc::ServerGenericBidiReactor {
 public:
  explicit RefusedCall(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

// `ipv4:127.0.0.1:50000`, `ipv6:%5B::1%5D:50000`: the address alone; empty: it is none.
std::string address_of_peer(const std::string& peer) {
  const std::size_t colon = peer.find(':');
  const std::optional<std::string> text =
      percent_decode(std::string_view(peer).substr(colon == std::string::npos ? peer.size() : colon + 1));
  const Result<Endpoint> endpoint = Endpoint::parse(text.value_or(""));
  return endpoint ? endpoint->host : std::string();
}

ServerRequest request_of(const grpc::GenericCallbackServerContext& context) {
  ServerRequest request;
  request.method = "POST";
  request.target = context.method();
  request.host = context.host();
  request.peer = address_of_peer(context.peer());
  for (const auto& [name, value] : context.client_metadata()) {
    request.headers.add(std::string_view(name.data(), name.size()), std::string_view(value.data(), value.size()));
  }
  const std::shared_ptr<const grpc::AuthContext> proof = context.auth_context();
  if (!proof) return request;
  const std::vector<grpc::string_ref> shown = proof->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  const std::vector<grpc::string_ref> security = proof->FindPropertyValues(GRPC_TRANSPORT_SECURITY_TYPE_PROPERTY_NAME);
  request.is_https =
      !security.empty() && (security.front() == GRPC_SSL_TRANSPORT_SECURITY_TYPE || security.front() == GRPC_TLS_TRANSPORT_SECURITY_TYPE);
  if (!shown.empty()) request.certificate = client_certificate_of(std::string_view(shown.front().data(), shown.front().size()));
  return request;
}

}  // namespace

grpc::ServerGenericBidiReactor* refused_call(grpc::StatusCode code, const std::string& message) {
  return new RefusedCall(grpc::Status(code, message));
}

// False: there are as many as may be, or the server stops.
bool StreamBook::add(const StreamStatePtr& state) {
  const std::lock_guard lock(mutex_);
  return is_open_ && open_.size() < most_ && open_.insert(state).second;
}

void StreamBook::remove(const StreamStatePtr& state) {
  const std::lock_guard lock(mutex_);
  open_.erase(state);
}

grpc::ServerGenericBidiReactor* StreamBook::take(grpc::GenericCallbackServerContext& context) {
  const auto state = std::make_shared<StreamState>();
  state->request = request_of(context);
  auto call = std::make_unique<StreamCall>(shared_from_this(), state, &context);
  state->call = call.get();
  if (!add(state)) return refused_call(grpc::StatusCode::RESOURCE_EXHAUSTED, "as many streams are open as may be, or this server stops");
  asio::post(executor_, [state, self = shared_from_this()] {
    if (!state->is_finished) self->on_stream_(std::make_unique<GrpcServerStream>(state));
  });
  return call.release();
}

void StreamBook::close() {
  std::set<StreamStatePtr> open;
  {
    const std::lock_guard lock(mutex_);
    is_open_ = false;
    open.swap(open_);
  }
  for (const StreamStatePtr& state : open) {
    state->finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "this server stops"));
    state->wake();
  }
}

}  // namespace rollcall
