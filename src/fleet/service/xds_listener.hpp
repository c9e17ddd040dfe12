// Where the service listens for xDS over gRPC.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fleet/settings/option_faults.hpp"
#include "fleet/xds/ads_service.hpp"
#include "net/server/http_server.hpp"

namespace rollcall::fleet {

/// All calls on the fleet's executor. Listens nowhere until open().
class XdsListener {
 public:
  /// `connections`: the maximum.
  XdsListener(std::shared_ptr<Fleet> fleet, std::shared_ptr<ServiceEntry> entry, std::size_t connections);
  ~XdsListener() { stop(); }

  /// Does nothing without addresses. `tls` empty: no TLS. Errors: failed_precondition, with the address that cannot be bound.
  Result<void> open(const std::vector<ListenAddress>& addresses, const HttpServer::TlsChooser& tls);
  /// IP and port of each address; an empty IP means all addresses of the machine.
  const std::vector<ListenAddress>& addresses() const noexcept { return addresses_; }
  /// Closes the connections of clients with certificates: they have to present them again.
  void close_certified() { server_.close_certified(); }
  /// Streams end within `spread`.
  void close(Duration spread) { ads_->close(spread); }
  void stop() { server_.stop(); }

 private:
  std::shared_ptr<AdsService> ads_;
  std::vector<ListenAddress> addresses_;
  HttpServer server_;
};

}  // namespace rollcall::fleet
