#include "net/grpc/grpc_stream_server.hpp"

#include <fmt/format.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <chrono>

#include "net/grpc/grpc_compression.hpp"
#include "net/grpc/grpc_stream_calls.hpp"
#include "net/socket/descriptor.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

std::shared_ptr<grpc::ServerCredentials> credentials_of(const TlsFiles& files) {
  if (files.certificate.empty()) return grpc::InsecureServerCredentials();
  constexpr unsigned seconds_between_looks = 1;
  const std::string& key = files.key.empty() ? files.certificate : files.key;
  grpc::experimental::TlsServerCredentialsOptions options(std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
      key, files.certificate, files.authorities, seconds_between_looks));
  options.watch_identity_key_cert_pairs();
  if (!files.authorities.empty()) {
    options.watch_root_certs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return grpc::experimental::TlsServerCredentials(options);
}

void bound(grpc::ServerBuilder& builder, const GrpcStreamOptions& options) {
  constexpr int second = 1000;
  take_no_compression(builder);
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.message_bytes));
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 100);  // of a connection
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 32 * 1024);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 10 * second);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 75 * second);
  // A client that has gone without a word is noticed; those that ask whether the server is there may.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30 * second);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20 * second);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10 * second);
  grpc::ResourceQuota quota("rollcall");
  quota.Resize(std::size_t{256} << 20);
  quota.SetMaxThreads(16);
  builder.SetResourceQuota(quota);
}

}  // namespace

class GrpcStreamServer::Impl final : public grpc::CallbackGenericService {
 public:
  Impl(asio::any_io_executor executor, GrpcStreamOptions options)
      : executor_(executor), options_(std::move(options)),
        book_(std::make_shared<StreamBook>(std::move(executor), options_.on_stream, options_.streams)) {}
  ~Impl() override { stop(); }

  Result<void> start() {
    grpc::ServerBuilder builder;
    bound(builder, options_);
    std::vector<int> bound_ports(options_.addresses.size());
    const std::shared_ptr<grpc::ServerCredentials> credentials = credentials_of(options_.tls);
    for (std::size_t i = 0; i < options_.addresses.size(); ++i) {
      const auto& [ip, port] = options_.addresses[i];
      const Result<void> is_free = check_free(executor_, ip, port);
      if (!is_free) return is_free.error();
      builder.AddListeningPort(Endpoint(ip, port).to_text(), credentials, &bound_ports[i]);
    }
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
    for (std::size_t i = 0; i < bound_ports.size(); ++i) {
      const auto& [ip, port] = options_.addresses[i];
      if (!server_ || bound_ports[i] == 0)
        return Failure(Errc::failed_precondition, fmt::format("cannot listen on {} port {} for gRPC", ip, port));
      ports.push_back(static_cast<std::uint16_t>(bound_ports[i]));
    }
    return Result<void>();
  }

  void stop() {
    if (!server_) return;
    book_->close();
    server_->Shutdown(std::chrono::system_clock::now());
    server_.reset();
  }

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    if (context->method() == options_.path) return book_->take(*context);
    return refused_call(grpc::StatusCode::UNIMPLEMENTED, "this server has " + options_.path + " alone");
  }

  std::vector<std::uint16_t> ports;

 private:
  asio::any_io_executor executor_;
  GrpcStreamOptions options_;
  std::shared_ptr<StreamBook> book_;
  std::unique_ptr<grpc::Server> server_;
};

GrpcStreamServer::GrpcStreamServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GrpcStreamServer::~GrpcStreamServer() = default;
const std::vector<std::uint16_t>& GrpcStreamServer::ports() const noexcept { return impl_->ports; }
void GrpcStreamServer::stop() { impl_->stop(); }

Result<std::unique_ptr<GrpcStreamServer>> GrpcStreamServer::start(asio::any_io_executor executor, GrpcStreamOptions options) {
  auto impl = std::make_unique<Impl>(std::move(executor), std::move(options));
  const Result<void> started = impl->start();
  if (!started) return started.error();
  return std::unique_ptr<GrpcStreamServer>(new GrpcStreamServer(std::move(impl)));
}

}  // namespace rollcall
