// A store in etcd, by its JSON gateway: HTTP of our own transport, so that deadlines, cancellation, TLS and proxies are as everywhere.
// Sources: etcd's dev-guide/api_grpc_gateway; what 3.4.23 and 3.6.14 were seen to do.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rollcall/error.hpp"
#include "store/store.hpp"

namespace rollcall::store {

class EtcdStoreOptions {
 public:
  EtcdStoreOptions() {}
  std::vector<std::string> endpoints;  ///< `https://etcd-0:2379`; the servers of one cluster, asked from the first on
  // Files are read when they are needed, so that they may be renewed.
  std::string authorities_file;  ///< PEM; empty: the Runtime's trust anchors
  std::string certificate_file;  ///< PEM: the client's, for servers that ask for one; empty: none
  std::string key_file;          ///< empty: the key is in certificate_file
  std::string user;              ///< empty: none. Over plain http to this machine only
  std::string password_file;     ///< its first line
};

/// Asks nobody yet. A server that does not answer, or says that it cannot serve, is followed by the next one; what may have been written is
/// not written again. Errors: invalid_argument, of the options.
Result<std::shared_ptr<Store>> make_etcd_store(EtcdStoreOptions options);

}  // namespace rollcall::store
