// PEM files and texts put into a TLS context: trust anchors, and a certificate with its chain and key. For both ends of TLS.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

class NetworkOptions;

/// Files of NetworkOptions, or of a server; all PEM.
class TlsFiles {
 public:
  TlsFiles() {}
  explicit TlsFiles(const NetworkOptions& network);
  std::string authorities;  ///< a client's: instead of the system's trust anchors; empty: the system's. A server's: of its clients
  std::string certificate;  ///< one's own, with its chain; empty: none
  std::string key;
  /// What changes when one of them is written or replaced. Empty, and for free, where none is named.
  std::string stamp() const;
};

struct BioDeleter {
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};
using BioPtr = std::unique_ptr<BIO, BioDeleter>;
struct X509Deleter {
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
};
using X509Ptr = std::unique_ptr<X509, X509Deleter>;

BioPtr pem_reader(std::string_view text);
/// Null at the end of the text, and before what is damaged: is_at_pem_end() tells them apart.
X509Ptr next_certificate(BIO* from);
bool is_at_pem_end();
/// "it contains no PEM certificate", and why where the form of the text tells.
std::string no_certificate_in(BIO* from);
Failure unusable_pem(const std::string& from, std::string_view why);
bool is_directory(const char* path) noexcept;

/// Certificates of the file are trusted. `what` the file is, for messages. Errors: invalid_argument, naming the file.
Result<void> trust_file(SSL_CTX* context, const std::string& path, std::string_view what);
/// Certificate, chain and key. Errors: invalid_argument (none in it, key of another certificate, what read_private_key() says).
Result<void> use_identity(SSL_CTX* context, BIO* from, BIO* key_from, const std::string& name);
/// The same of files; `what` the certificate is, for messages.
Result<void> use_identity_files(SSL_CTX* context, const TlsFiles& files, std::string_view what);

}  // namespace rollcall
