// How a replica asks another one: over TLS with the service's own certificate or a token, or within this machine.
#pragma once

#include <memory>
#include <string>

#include "call/api_client.hpp"
#include "rollcall/credentials.hpp"

namespace rollcall::fleet {

/// PEM files are read for each connection, the token for each request.
class PeerFiles {
 public:
  PeerFiles() {}
  std::string authorities_file;  ///< of the replicas' certificates; empty: the system's
  std::string certificate_file;  ///< shown to the leader; empty: none
  std::string key_file;          ///< empty: the key is in certificate_file
  std::string token_file;        ///< its first line is the token for the leader; empty: none
};

class PeerLink {
 public:
  explicit PeerLink(PeerFiles files);
  /// `root`: where the other replica serves, as the lease says. Errors: invalid_argument, refused_by_policy (without TLS to another
  /// machine), and those of the files.
  Result<ApiRequest> request(Call& call, const std::string& root, std::string_view path) const;

 private:
  Result<std::shared_ptr<const ServerAccess>> access(Runtime::Impl& runtime) const;

  PeerFiles files_;
  std::shared_ptr<Credentials> credentials_;  // null: no token is sent
};

}  // namespace rollcall::fleet
