// Certificates made at run time (EC P-256), with the faults that tests need.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace rollcall::testing {

template <auto Free>
struct OpenSslDeleter {
  template <class T>
  void operator()(T* object) const noexcept {
    Free(object);
  }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslDeleter<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, OpenSslDeleter<X509_free>>;
using TlsContextPtr = std::unique_ptr<SSL_CTX, OpenSslDeleter<SSL_CTX_free>>;

class CertificateRequest {
 public:
  CertificateRequest() {}
  explicit CertificateRequest(std::vector<std::string> alternative_names) : names(std::move(alternative_names)) {}
  std::vector<std::string> names;       ///< of the subject alternative names: `DNS:host` or `IP:1.2.3.4`
  std::string common_name = "test";
  bool is_authority = false;
  std::string usage;                    ///< extended: `clientAuth`; empty: any
  long valid_from = -3600;              ///< seconds from now
  long valid_to = 24 * 3600;
};

/// A key and its certificate, signed by `issuer` or by itself.
class CertifiedKey {
 public:
  explicit CertifiedKey(const CertificateRequest& request, const CertifiedKey* issuer = nullptr)
      : key(EVP_EC_gen("P-256")), certificate(X509_new()) {
    X509* const x = certificate.get();
    X509_set_version(x, 2);
    static long serial = 1;
    ASN1_INTEGER_set(X509_get_serialNumber(x), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(x), request.valid_from);
    X509_gmtime_adj(X509_getm_notAfter(x), request.valid_to);
    X509_set_pubkey(x, key.get());
    const auto* const name = reinterpret_cast<const unsigned char*>(request.common_name.c_str());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_UTF8, name, -1, -1, 0);
    X509* const by = issuer ? issuer->certificate.get() : x;
    X509_set_issuer_name(x, X509_get_subject_name(by));
    if (request.is_authority) {
      add(by, NID_basic_constraints, "critical,CA:TRUE");
      add(by, NID_key_usage, "critical,keyCertSign,cRLSign");
    }
    if (!request.usage.empty()) add(by, NID_ext_key_usage, request.usage);
    std::string names;
    for (const std::string& n : request.names) names += (names.empty() ? "" : ",") + n;
    if (!names.empty()) add(by, NID_subject_alt_name, names);
    if (X509_sign(x, (issuer ? issuer->key : key).get(), EVP_sha256()) == 0) throw std::runtime_error("X509_sign");
  }

  std::string pem() const {
    const std::unique_ptr<BIO, OpenSslDeleter<BIO_free>> out(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(out.get(), certificate.get());
    char* data = nullptr;
    const long size = BIO_get_mem_data(out.get(), &data);
    return std::string(data, static_cast<std::size_t>(size));
  }

  std::string key_pem() const {
    const std::unique_ptr<BIO, OpenSslDeleter<BIO_free>> out(BIO_new(BIO_s_mem()));
    PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    char* data = nullptr;
    const long size = BIO_get_mem_data(out.get(), &data);
    return std::string(data, static_cast<std::size_t>(size));
  }

  /// For HttpServer's TlsChooser.
  TlsContextPtr server_context() const {
    TlsContextPtr context(SSL_CTX_new(TLS_server_method()));
    if (SSL_CTX_use_certificate(context.get(), certificate.get()) != 1 || SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1) {
      throw std::runtime_error("SSL_CTX_use_certificate");
    }
    return context;
  }

  KeyPtr key;
  CertificatePtr certificate;

 private:
  void add(X509* by, int nid, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, by, certificate.get(), nullptr, nullptr, 0);
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
    if (!extension) throw std::runtime_error("X509V3_EXT_conf_nid " + value);
    X509_add_ext(certificate.get(), extension, -1);
    X509_EXTENSION_free(extension);
  }
};

inline CertificateRequest authority_request(const std::string& common_name = "Test CA") {
  CertificateRequest request;
  request.common_name = common_name;
  request.is_authority = true;
  return request;
}

/// A file that exists while this does.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    const char* const directory = ::getenv("TMPDIR");
    path_ = std::string(directory && *directory ? directory : "/tmp") + "/rollcall-test-XXXXXX";
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0 || ::write(descriptor, content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
      throw std::runtime_error("cannot write " + path_);
    }
    ::close(descriptor);
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const noexcept { return path_; }
  /// Replaces the content.
  void write(const std::string& content) const { std::ofstream(path_, std::ios::trunc) << content; }

 private:
  std::string path_;
};

}  // namespace rollcall::testing
