#include "fleet/service/xds_listener.hpp"

#include "fleet/service/listening.hpp"
#include "net/server/rpc_call.hpp"

namespace rollcall::fleet {
namespace {

ServerLimits discovery_limits(std::size_t connections) {
  ServerLimits limits;
  limits.connections = connections;
  limits.body_bytes = 256 * 1024;
  return limits;
}

}  // namespace

XdsListener::XdsListener(std::shared_ptr<Fleet> fleet, std::shared_ptr<ServiceEntry> entry, std::size_t connections)
    : ads_(std::make_shared<AdsService>(std::move(fleet), entry)),
      server_(entry->runtime()->executor, nullptr, discovery_limits(connections), entry->runtime()->time) {}

Result<void> XdsListener::open(const std::vector<ListenAddress>& addresses, const HttpServer::TlsChooser& tls) {
  RpcMethod method;
  method.path = ads_path;
  method.on_stream = [ads = ads_](std::unique_ptr<RpcServerStream> stream) { ads->take(std::move(stream)); };
  for (ListenAddress address : addresses) {
    const Result<std::uint16_t> bound =
        listen_at(address, [&](const std::string& ip, std::uint16_t port) { return server_.listen_rpc(ip, port, tls, method); });
    if (!bound) return bound.error();
    address.port = *bound;
    addresses_.push_back(std::move(address));
  }
  return Result<void>();
}

}  // namespace rollcall::fleet
