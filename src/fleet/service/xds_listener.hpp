// Where the service tells of its fleet by xDS over gRPC.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fleet/settings/option_faults.hpp"
#include "fleet/xds/ads_service.hpp"
#include "net/server/http_server.hpp"

namespace rollcall::fleet {

/// Listens by `listen(ip, port)`, at each of the machine's addresses where `address` names none. Returns the port. Errors: as `listen`.
Result<std::uint16_t> listen_at(const ListenAddress& address,
                                const std::function<Result<std::uint16_t>(const std::string& ip, std::uint16_t port)>& listen);

/// All calls on the fleet's executor. Until open() it is nowhere.
class XdsListener {
 public:
  /// `connections`: so many at most.
  XdsListener(std::shared_ptr<Fleet> fleet, std::shared_ptr<ServiceEntry> entry, std::size_t connections);
  ~XdsListener() { stop(); }

  /// Nothing happens without addresses. `tls` empty: none. Errors: failed_precondition, naming the address that cannot be had.
  Result<void> open(const std::vector<ListenAddress>& addresses, const HttpServer::TlsChooser& tls);
  /// IP and port of each address; the IP is empty where it is all of the machine's.
  const std::vector<ListenAddress>& addresses() const noexcept { return addresses_; }
  /// Closes the connections whose clients have shown a certificate: they have to show it anew.
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
