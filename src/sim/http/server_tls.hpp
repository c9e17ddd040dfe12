// The server side's TLS: a context chosen by the name that the client asks for.
#pragma once

#include <memory>

#include "net/tls/socket_bio.hpp"
#include "sim/http/http_server.hpp"

namespace rollcall {

class ServerTls : public std::enable_shared_from_this<ServerTls> {
 public:
  /// Null when OpenSSL cannot be set up.
  static std::shared_ptr<ServerTls> create(HttpServer::TlsChooser chooser);
  ServerTls(SSL_CTX* context, HttpServer::TlsChooser chooser) : context_(context), chooser_(std::move(chooser)) {}
  ~ServerTls();
  ServerTls(const ServerTls&) = delete;
  ServerTls& operator=(const ServerTls&) = delete;

  /// A server object that keeps this one alive; null when out of memory.
  SslPtr make(int descriptor);

 private:
  SSL_CTX* context_;  // its sessions' ticket keys serve all names; certificates are those of the chosen contexts
  HttpServer::TlsChooser chooser_;
};

}  // namespace rollcall
