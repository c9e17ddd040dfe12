#include "net/grpc/grpc_transport.hpp"

#include <fmt/format.h>
#include <grpc/support/time.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <algorithm>
#include <asio/post.hpp>
#include <boost/intrusive/list.hpp>
#include <mutex>

#include "async/async_event.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "net/grpc/grpc_channels.hpp"
#include "net/grpc/grpc_compression.hpp"

namespace rollcall {
namespace {

// Interprets gRPC's own messages about a failed call.

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// gRPC wraps the cause: `failed to connect to all addresses; last error: UNKNOWN: ipv4:10.0.0.1:8470: Failed to …`.
std::string_view cause_of(std::string_view message) {
  for (const std::string_view marker : {"Failed to connect to remote host: ", "last error: "}) {
    const std::size_t at = message.rfind(marker);
    if (at != std::string_view::npos) return message.substr(at + marker.size());
  }
  return message;
}

bool is_compression_refused(RpcStatus status, std::string_view message) {
  return status == RpcStatus::unimplemented && has(message, "ompression algorithm");
}

bool is_too_long(RpcStatus status, std::string_view message) {
  return status == RpcStatus::resource_exhausted && has(message, "Received message larger than max");
}

Failure failure(const RpcRequest& request, Errc code, Phase phase, std::string what) {
  return Failure(code, request.address + ": " + std::move(what)).with_phase(phase).with_target(request.address);
}

// Compressed messages are not decompressed.
Failure compressed_answer(const RpcRequest& request) {
  return failure(request, Errc::limit_exceeded, Phase::response,
                 "the answer is compressed, which is refused: a small one may unpack to any size")
      .with_hint("no compression is asked for: switch it off in the server");
}

// True if `details` (grpc::ClientContext::debug_error_string) shows that the status came from the peer as gRPC.
bool is_from_peer(RpcStatus status, std::string_view message, std::string_view details) {
  // A message that the client refuses ends the call; for a long one the peer's status may arrive as well, and replace the text in
  // `details`.
  if (is_compression_refused(status, message) || is_too_long(status, message)) return false;
  if (!has(details, "Error received from peer")) return false;
  // An HTTP/2 server that is no gRPC server: the status is translated by gRPC from the HTTP status.
  return !(status != RpcStatus::ok && has(message, "Received http2 header with status"));
}

// A status that gRPC generated itself because no server sent one; `is_connected`: the connection existed when the call ended.
Failure local_rpc_failure(const RpcRequest& request, RpcStatus status, std::string_view message, bool is_connected) {
  const std::string cause = printable(cause_of(message), 300);
  if (is_compression_refused(status, message)) return compressed_answer(request);
  if (is_too_long(status, message)) return failure(request, Errc::limit_exceeded, Phase::response, "the answer is too long: " + cause);
  switch (status) {
    case RpcStatus::cancelled: return failure(request, Errc::cancelled, Phase::response, "the call was cancelled");
    case RpcStatus::deadline_exceeded:
      if (is_connected)
        return failure(request, Errc::response_timeout, Phase::response, "the worker took the call and did not answer in time");
      return failure(request, Errc::connect_timeout, Phase::connect, "no answer to the attempt to connect")
          .with_hint("check that the worker is up, and that no firewall drops connections to its port");
    default: break;
  }
  if (has(message, "DNS resolution failed") || has(message, "name resolution")) {
    return failure(request, Errc::unknown_host, Phase::resolve, "the name does not resolve: " + cause);
  }
  if (request.address.starts_with("unix:") && has(message, "No such file or directory")) {
    return failure(request, Errc::unreachable, Phase::connect, "there is no such socket");
  }
  if (has(message, "Connection refused")) {
    return failure(request, Errc::unreachable, Phase::connect, "connection refused")
        .with_hint("no runtime listens there: is it started, on this port?");
  }
  if (has(message, "Received http2 header with status") || has(message, "Failed parsing HTTP/2") || has(message, "http1.x")) {
    return failure(request, Errc::malformed_response, Phase::response, "what listens there does not speak gRPC: " + cause)
        .with_hint("check the port: TensorFlow's runtime listens on 8470 on TPU workers");
  }
  if (has(message, "Ssl handshake failed") || has(message, "SSL_ERROR") || has(message, "certificate") || has(message, "Peer name")) {
    return failure(request, Errc::tls_failed, Phase::handshake, "the TLS handshake failed: " + cause);
  }
  if (status != RpcStatus::unavailable) {
    return failure(request, Errc::malformed_response, Phase::response, fmt::format("no usable answer ({}): {}", to_string(status), cause));
  }
  if (has(message, "Socket closed") || has(message, "Connection reset") || has(message, "Broken pipe")) {
    // A TLS server does the same with plain HTTP/2, and the reverse.
    return failure(request, Errc::unreachable, Phase::connect, "the peer closed the connection: " + cause)
        .with_hint(request.is_tls ? "does the worker speak TLS?" : "does the worker expect TLS (grpcs://)?");
  }
  return failure(request, Errc::unreachable, Phase::connect, cause);
}

// The calls.

using ListHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

grpc::ByteBuffer to_buffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

Result<std::string> to_bytes(const RpcRequest& request, const grpc::ByteBuffer& buffer) {
  if (is_compressed(buffer)) return compressed_answer(request);
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok())
    return Failure(Errc::malformed_response, request.address + ": the answer cannot be read").with_target(request.address);
  std::string bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return bytes;
}

// State that one of gRPC's threads and the waiting coroutine share. The coroutine may end first: then the thread posts nothing.
class Operation {
 public:
  explicit Operation(asio::any_io_executor executor) : executor_(std::move(executor)) {}

  void start(const std::shared_ptr<Operation>& self, std::shared_ptr<grpc::Channel> channel, const RpcRequest& request,
             gpr_timespec deadline) {
    channel_ = std::move(channel);
    context.set_deadline(deadline);
    request_ = to_buffer(request.message);
    grpc::GenericStub stub(channel_);
    stub.UnaryCall(&context, request.method, grpc::StubOptions(), &request_, &answer,
                   [self](grpc::Status result) { self->finish(self, std::move(result)); });
  }
  bool is_connected() const { return channel_->GetState(false) == GRPC_CHANNEL_READY; }

  /// The coroutine ends. On the executor.
  void abandon() noexcept {
    {
      const std::lock_guard lock(mutex_);
      executor_ = asio::any_io_executor();
      if (is_done_) return;
    }
    context.TryCancel();
  }

  grpc::ClientContext context;
  grpc::ByteBuffer answer;
  grpc::Status status;
  bool was_connected = false;
  AsyncEvent* event = nullptr;  // used on the executor only

 private:
  void finish(const std::shared_ptr<Operation>& self, grpc::Status result) {
    const std::lock_guard lock(mutex_);
    is_done_ = true;
    was_connected = is_connected();
    status = std::move(result);
    channel_.reset();
    if (!executor_) return;
    asio::post(executor_, [self] {
      if (self->event) self->event->wake();
    });
  }

  std::mutex mutex_;
  asio::any_io_executor executor_;
  bool is_done_ = false;
  std::shared_ptr<grpc::Channel> channel_;
  grpc::ByteBuffer request_;
};

// In the frame of the waiting coroutine: when the frame ends, the call ends.
class ActiveCall : public ListHook {
 public:
  explicit ActiveCall(std::shared_ptr<Operation> started) : operation(std::move(started)) { operation->event = &event; }
  ~ActiveCall() {
    operation->event = nullptr;
    operation->abandon();
  }
  ActiveCall(const ActiveCall&) = delete;
  ActiveCall& operator=(const ActiveCall&) = delete;
  std::shared_ptr<Operation> operation;
  AsyncEvent event;
};

class GrpcTransport final : public RpcTransport {
 public:
  GrpcTransport(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers, NetworkOptions options,
                std::shared_ptr<const Files> files)
      : executor_(std::move(executor)), timers_(std::move(timers)), channels_(std::move(options), std::move(files)) {}

  asio::awaitable<Result<RpcAnswer>> call(const RpcRequest& request, const RpcOptions& options) override {
    if (is_closed_) co_return Failure(Errc::cancelled, "the transport was closed").with_target(request.address);
    Result<std::shared_ptr<grpc::Channel>> channel = channels_.at(request, options.max_message_bytes);
    if (!channel) co_return channel.error();
    ActiveCall active(std::make_shared<Operation>(executor_));
    const std::shared_ptr<Operation> operation = active.operation;
    active_calls_.push_back(active);
    operation->start(operation, std::move(*channel), request, deadline_of(options));
    const bool woken = co_await active.event.wait();
    if (!woken) co_return Failure(Errc::cancelled, "the call was cancelled").with_target(request.address);
    const auto status = static_cast<RpcStatus>(operation->status.error_code());
    const std::string message = operation->status.error_message();
    if (status != RpcStatus::ok) {
      if (is_from_peer(status, message, operation->context.debug_error_string())) co_return RpcAnswer(status, message);
      co_return local_rpc_failure(request, status, message, operation->was_connected);
    }
    Result<std::string> bytes = to_bytes(request, operation->answer);
    if (!bytes) co_return bytes.error();
    RpcAnswer answer;
    answer.message = std::move(*bytes);
    co_return answer;
  }

  void close() override {
    is_closed_ = true;
    for (ActiveCall& active : active_calls_) active.operation->context.TryCancel();
    channels_.clear();
  }

 private:
  gpr_timespec deadline_of(const RpcOptions& options) const {
    constexpr Duration max = std::chrono::hours(24);
    const SteadyTime now = timers_->now();
    const Duration left = options.deadline > now ? std::min<Duration>(saturating_difference(options.deadline, now), max) : Duration::zero();
    return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_nanos(left.count(), GPR_TIMESPAN));
  }

  asio::any_io_executor executor_;
  std::shared_ptr<TimerQueue> timers_;
  GrpcChannels channels_;
  boost::intrusive::list<ActiveCall, boost::intrusive::constant_time_size<false>> active_calls_;
  bool is_closed_ = false;
};

}  // namespace

std::shared_ptr<RpcTransport> make_grpc_transport(asio::any_io_executor executor, std::shared_ptr<TimerQueue> timers,
                                                  NetworkOptions options, std::shared_ptr<const Files> files) {
  return std::make_shared<GrpcTransport>(std::move(executor), std::move(timers), std::move(options), std::move(files));
}

}  // namespace rollcall
