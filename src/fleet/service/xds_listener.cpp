#include "fleet/service/xds_listener.hpp"

#include "net/socket/descriptor.hpp"

namespace rollcall::fleet {

Result<void> XdsListener::open(const std::vector<ListenAddress>& addresses, const TlsFiles& tls) {
  addresses_ = addresses;
  if (addresses_.empty()) return Result<void>();
  GrpcStreamOptions options;
  options.path = ads_path;
  options.tls = tls;
  for (const ListenAddress& address : addresses_) {
    // By gRPC `::` is IPv4 as well.
    std::string ip = !address.host.empty() ? address.host : has_ipv6() ? "::" : "0.0.0.0";
    options.addresses.emplace_back(std::move(ip), address.port);
  }
  options.on_stream = [ads = ads_](std::unique_ptr<RpcServerStream> stream) { ads->take(std::move(stream)); };
  Result<std::unique_ptr<GrpcStreamServer>> server = GrpcStreamServer::start(entry_->runtime()->executor, std::move(options));
  if (!server) return server.error();
  server_ = std::move(*server);
  for (std::size_t i = 0; i < addresses_.size(); ++i) addresses_[i].port = server_->ports()[i];
  return Result<void>();
}

Result<void> XdsListener::reopen(const TlsFiles& tls) {
  if (addresses_.empty()) return Result<void>();
  stop();
  const std::vector<ListenAddress> same = addresses_;
  return open(same, tls);
}

void XdsListener::stop() {
  if (server_) server_->stop();
  server_.reset();
}

}  // namespace rollcall::fleet
