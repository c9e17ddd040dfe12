// The certificate authority of one run, and its servers' certificates.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/server/http_server.hpp"
#include "support/certificates.hpp"

namespace rollcall::conformance {

class Authority {
 public:
  Authority();
  std::string pem() const { return identity_.pem(); }
  /// The certificate as a file, for NetworkOptions::ca_file.
  const std::string& file() const { return file_.path(); }
  /// A context for the server name that a client sends; made when it is first needed. Lives as long as this.
  ssl_ctx_st* context_for(std::string_view server_name);
  /// For clients that send no name because they connect to an address: a certificate for all `addresses`.
  ssl_ctx_st* context_for_addresses(const std::vector<std::string>& addresses);

 private:
  ssl_ctx_st* context(const std::string& key, std::vector<std::string> names);

  testing::CertifiedKey identity_;
  testing::TemporaryFile file_;
  std::map<std::string, testing::TlsContextPtr> contexts_;
};

}  // namespace rollcall::conformance
