#include "net/grpc/grpc_channels.hpp"

#include <fmt/format.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/ip.hpp"
#include "base/url.hpp"
#include "net/dial/connect_to.hpp"
#include "net/grpc/grpc_compression.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

// Each channel has a connection, and each connection a descriptor; processes are often limited to 1024 of them.
constexpr std::size_t max_channels = 256;

// gRPC's name for an address: a literal is not looked up.
std::string target_of(const Destination& to, const std::vector<std::string>& dns_servers) {
  const std::string address = Endpoint(to.host, to.port).to_text();
  if (is_ipv4_literal(to.host) || is_ipv6_literal(to.host, true))
    return fmt::format("{}:{}", to.host.find(':') == std::string::npos ? "ipv4" : "ipv6", address);
  return fmt::format("dns://{}/{}", dns_servers.empty() ? "" : dns_servers.front(), address);
}

constexpr std::string_view socket_scheme = "unix://";

// gRPC's name for a socket of this machine; empty: the address is a host's.
std::string socket_target_of(std::string_view address) {
  if (!address.starts_with(socket_scheme)) return {};
  address.remove_prefix(socket_scheme.size());
  return std::string(socket_scheme) + percent_encode(address, "/-._~");
}

grpc::ChannelArguments arguments_for(std::size_t max_message_bytes) {
  grpc::ChannelArguments arguments;
  arguments.SetInt("grpc.enable_http_proxy", 0);  // workers are neighbours
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS,
                   3000);  // for one connection, TLS included; the default is 20 s, in which no call could try again
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);  // otherwise a restarted worker is noticed 8 s late
  arguments.SetInt(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, static_cast<int>(std::min<std::size_t>(max_message_bytes, 1U << 30)));
  take_no_compression(arguments);
  // Connections of its own: another part of the process may use the same worker with other back-off.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  return arguments;
}

// A call that ends before it begins, on a channel of its own. Never freed.
class Forgotten {
 public:
  Forgotten() : channel_(grpc::CreateChannel("ipv4:127.0.0.1:1", grpc::InsecureChannelCredentials())) {
    context_.set_deadline(std::chrono::system_clock::time_point());
    const grpc::Slice nothing;
    request_ = grpc::ByteBuffer(&nothing, 1);
    grpc::GenericStub stub(channel_);
    stub.UnaryCall(&context_, "/none", grpc::StubOptions(), &request_, &answer_, [](const grpc::Status&) {});
  }

 private:
  std::shared_ptr<grpc::Channel> channel_;
  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer answer_;
};

}  // namespace

Result<std::shared_ptr<grpc::Channel>> GrpcChannels::at(const RpcRequest& request, std::size_t max_message_bytes) {
  const std::string key = fmt::format("{}{}#{}", request.is_tls ? "tls:" : "", request.address, max_message_bytes);
  if (request.is_tls) {
    const Result<void> read = credentials_.refresh();
    if (!read) return read.error();
  }
  const std::uint64_t number = request.is_tls ? credentials_.number() : 0;
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    kept_.splice(kept_.begin(), kept_, found->second);
    if (kept_.front().credentials == number) return kept_.front().channel;
  }
  Result<std::shared_ptr<grpc::Channel>> made = make(request, max_message_bytes);
  if (!made) return made;
  if (found != by_key_.end()) {  // calls in progress on the old channel end there
    kept_.front().credentials = number;
    kept_.front().channel = *made;
    return made;
  }
  kept_.push_front(Kept{key, *made, number});
  by_key_.emplace(key, kept_.begin());
  while (kept_.size() > max_channels) {
    by_key_.erase(kept_.back().key);
    kept_.pop_back();
  }
  return made;
}

void GrpcChannels::clear() noexcept {
  by_key_.clear();
  kept_.clear();
}

Result<std::shared_ptr<grpc::Channel>> GrpcChannels::make(const RpcRequest& request, std::size_t max_message_bytes) {
  const std::string socket = socket_target_of(request.address);
  if (!socket.empty()) {
    keep_grpc_callback_threads();
    return grpc::CreateCustomChannel(socket, grpc::InsecureChannelCredentials(), arguments_for(max_message_bytes));
  }
  const Result<Endpoint> worker = Endpoint::parse(request.address);
  if (!worker) return worker.error();
  if (!worker->port)
    return Failure(Errc::invalid_argument, "the worker's address has no port: " + request.address).with_target(request.address);
  const Destination to = apply_connect_to(network_.connect_to, worker->host, *worker->port);

  keep_grpc_callback_threads();
  grpc::ChannelArguments arguments = arguments_for(max_message_bytes);
  if (to.host != worker->host || to.port != *worker->port) arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, request.address);

  std::shared_ptr<grpc::ChannelCredentials> credentials;
  if (request.is_tls) {
    if (to.host != worker->host) arguments.SetString(GRPC_SSL_TARGET_NAME_OVERRIDE_ARG, worker->host);
    credentials = credentials_.make(worker->host);
  } else {
    credentials = grpc::InsecureChannelCredentials();
  }
  return grpc::CreateCustomChannel(target_of(to, network_.dns_servers), credentials, arguments);
}

void keep_grpc_callback_threads() {
  static const auto* const kept = new Forgotten;
  static_cast<void>(kept);
}

}  // namespace rollcall
