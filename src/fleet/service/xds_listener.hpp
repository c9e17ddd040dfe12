// Where the service tells of its fleet by xDS over gRPC.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fleet/settings/option_faults.hpp"
#include "fleet/xds/ads_service.hpp"
#include "net/grpc/grpc_stream_server.hpp"

namespace rollcall::fleet {

/// All calls on the fleet's executor. Until open() it is nowhere.
class XdsListener {
 public:
  XdsListener(std::shared_ptr<Fleet> fleet, std::shared_ptr<ServiceEntry> entry)
      : entry_(entry), ads_(std::make_shared<AdsService>(std::move(fleet), std::move(entry))) {}
  ~XdsListener() { stop(); }

  /// Nothing happens without addresses. Errors: failed_precondition, naming the address that cannot be had.
  Result<void> open(const std::vector<ListenAddress>& addresses, const TlsFiles& tls);
  /// With other files, at the same addresses; everybody connects anew, and proves anew who it is. Errors: as open().
  Result<void> reopen(const TlsFiles& tls);
  /// IP and port of each address; the IP is empty where it is all of the machine's.
  const std::vector<ListenAddress>& addresses() const noexcept { return addresses_; }
  /// Streams end within `spread`.
  void close(Duration spread) { ads_->close(spread); }
  void stop();
  /// True too where there is no address to listen at.
  bool is_open() const noexcept { return addresses_.empty() || server_; }

 private:
  std::shared_ptr<ServiceEntry> entry_;
  std::shared_ptr<AdsService> ads_;
  std::vector<ListenAddress> addresses_;
  std::unique_ptr<GrpcStreamServer> server_;
};

}  // namespace rollcall::fleet
