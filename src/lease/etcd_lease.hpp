// The lease as one key in etcd, by its JSON gateway: HTTP of our own transport, so that deadlines, TLS and proxies are as everywhere.
// Sources: etcd's dev-guide/api_grpc_gateway; measured with 3.4.23 and 3.6.14.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "call/access_files.hpp"
#include "lease/lease.hpp"

namespace rollcall::lease {

class EtcdLeaseOptions {
 public:
  EtcdLeaseOptions() {}
  std::vector<std::string> endpoints;  ///< `https://etcd-0:2379`; the servers of one cluster, asked from the first on
  std::string fleet = "default";       ///< the key is `/rollcall/FLEET/leader`
  AccessFiles files;  ///< the servers' authorities, and the client's certificate for servers that ask for one
  std::string user;           ///< empty: none
  std::string password_file;  ///< its first line; read when it is needed
};

/// At most 63 letters, digits, `-`, `_` and `.`.
bool is_fleet_name(std::string_view name) noexcept;

/// Sends nothing yet. Errors: invalid_argument, of the options.
Result<std::shared_ptr<LeaseEngine>> make_etcd_lease(EtcdLeaseOptions options);

}  // namespace rollcall::lease
