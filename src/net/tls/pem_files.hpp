// Loads PEM files and texts into a TLS context: trust anchors, and a certificate with its chain and key. For both sides of TLS.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

class NetworkOptions;

struct StoreDeleter {
  void operator()(X509_STORE* store) const noexcept { X509_STORE_free(store); }
};

using StorePtr = std::unique_ptr<X509_STORE, StoreDeleter>;

/// Files of NetworkOptions, or of a server; all PEM.
class TlsFiles {
 public:
  TlsFiles() {}
  explicit TlsFiles(const NetworkOptions& network);
  std::string
      authorities;  ///< a client's: replaces the system's trust anchors; empty: the system's. A server's: authorities of its clients
  std::string certificate;  ///< the own certificate, with its chain; empty: none
  std::string key;
  /// Changes when one of the files is written or replaced. Empty, without any cost, if there are none.
  std::string stamp() const;
};
/// The same for one file.
std::string stamp_of_file(const std::string& path);

struct BioDeleter {
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};
using BioPtr = std::unique_ptr<BIO, BioDeleter>;
struct X509Deleter {
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
};
using X509Ptr = std::unique_ptr<X509, X509Deleter>;

BioPtr pem_reader(std::string_view text);
/// Null at the end of the text, and before a damaged part: is_at_pem_end() distinguishes them.
X509Ptr next_certificate(BIO* from);
bool is_at_pem_end();
/// "it contains no PEM certificate", and why if the form of the text shows it.
std::string no_certificate_in(BIO* from);
Failure unusable_pem(const std::string& from, std::string_view why);
bool is_directory(const char* path) noexcept;

/// Adds the certificates and revocation lists of the file as trust anchors. `what` names the file in messages. Errors: invalid_argument,
/// naming the file.
Result<void> trust_file(X509_STORE* store, const std::string& path, std::string_view what);
/// Certificate, chain and key. Errors: invalid_argument (none in it, key of another certificate, those of read_private_key()).
Result<void> use_identity(SSL_CTX* context, BIO* from, BIO* key_from, const std::string& name);
/// The same for files; `what` names the certificate in messages.
Result<void> use_identity_files(SSL_CTX* context, const TlsFiles& files, std::string_view what);

}  // namespace rollcall
