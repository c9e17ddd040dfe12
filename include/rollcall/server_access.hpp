// How one server is reached that needs more than the transport's own settings: trust anchors, a client certificate, a proxy.
#pragma once

#include <string>

#include "rollcall/secret.hpp"

namespace rollcall {

/// What an HttpRequest may say about its connection. Connections, TLS sessions and contexts are shared by requests whose
/// objects have the same content, and by no others. An empty member leaves that to the transport.
class ServerAccess {
 public:
  ServerAccess() {}
  std::string authorities;       ///< PEM: the trust anchors, instead of the transport's own
  std::string authorities_from;  ///< where they come from, for messages: "the CA file /etc/ca.crt"
  std::string certificate;       ///< PEM: the client's certificate, followed by its chain
  Secret<std::string> key;       ///< PEM, without a passphrase: the certificate's key
  std::string identity_from;     ///< where both come from, for messages
  std::string server_name;       ///< asked for (SNI) and verified, instead of the URL's host
  Secret<std::string> proxy;     ///< as ProxySettings::url, instead of the transport's own and without exceptions; for https only
  std::string proxy_from;        ///< where it comes from, for messages
  friend bool operator==(const ServerAccess&, const ServerAccess&) = default;
};

}  // namespace rollcall
