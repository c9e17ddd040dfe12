// How a replica asks another one: over TLS with the service's own certificate or a token, or within this machine.
#pragma once

#include <memory>
#include <string>

#include "call/access_files.hpp"
#include "call/api_client.hpp"
#include "rollcall/credentials.hpp"

namespace rollcall::fleet {

/// The token is read for each request.
class PeerFiles {
 public:
  PeerFiles() {}
  AccessFiles access;      ///< authorities of the replicas' certificates, and the certificate that is shown to the leader
  std::string token_file;  ///< its first line is the token for the leader; empty: none
};

class PeerLink {
 public:
  explicit PeerLink(PeerFiles files);
  /// `root`: where the other replica serves, as the lease says. Errors: invalid_argument, refused_by_policy (without TLS to another
  /// machine), and those of the files.
  Result<ApiRequest> request(Call& call, const std::string& root, std::string_view path);

 private:
  AccessReader access_;
  std::shared_ptr<Credentials> credentials_;  // null: no token is sent
};

}  // namespace rollcall::fleet
