#include "net/tls/pem_files.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/append_formatted.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "base/wiped_buffer.hpp"
#include "crypto/pem_form.hpp"
#include "crypto/private_key.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {
namespace {

// The whole file, for OpenSSL, which itself would block on a pipe, and leave read-ahead parts of a key in a buffer. Wiped at the end.
class PemText {
 public:
  explicit PemText(const std::string& path) : text_(file_system()->read(path, max_pem_bytes)) {}
  ~PemText() {
    if (text_) wipe(text_->data(), text_->size());
  }
  PemText(const PemText&) = delete;
  PemText& operator=(const PemText&) = delete;
  const Result<std::string>& text() const noexcept { return text_; }
  BIO* bio() const noexcept { return bio_.get(); }  ///< null: there is no text

 private:
  static constexpr std::size_t max_pem_bytes = 16 << 20;
  Result<std::string> text_;
  const BioPtr bio_ = text_ ? pem_reader(*text_) : nullptr;
};

// For an encrypted certificate, which only an attacker would provide, OpenSSL would prompt for the passphrase on the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

Failure unusable_file(std::string_view what, const std::string& path, std::string_view why) {
  ERR_clear_error();
  return Failure(Errc::invalid_argument, fmt::format("{} {} cannot be used: {}", what, quoted_path(path), why))
      .with_target(path_text(path));
}

// `what`: the CA file.
Failure unreadable_file(std::string_view what, const std::string& path, const Failure& why) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return unusable_file(what, path, std::error_code(errno, std::system_category()).message());
  if (S_ISDIR(info.st_mode)) return unusable_file(what, path, "it is a directory");
  if (path == "/dev/null") return unusable_file(what, path, "it contains no PEM certificate");
  if (!S_ISREG(info.st_mode)) return unusable_file(what, path, "it is no regular file");
  if (why.code() != Errc::permission_denied) return unusable_file(what, path, why.what());
  return unusable_file(what, path, std::error_code(EACCES, std::system_category()).message());
}

struct InfoStackDeleter {
  void operator()(STACK_OF(X509_INFO) * stack) const noexcept { sk_X509_INFO_pop_free(stack, X509_INFO_free); }
};

// Certificates and revocation lists, as OpenSSL's own file reader accepts them. False: there are none.
bool trust_text(X509_STORE* store, BIO* from) {
  const std::unique_ptr<STACK_OF(X509_INFO), InfoStackDeleter> found(PEM_X509_INFO_read_bio(from, nullptr, no_passphrase, nullptr));
  int taken = 0;
  for (int i = 0; found && i < sk_X509_INFO_num(found.get()); ++i) {
    const X509_INFO* const one = sk_X509_INFO_value(found.get(), i);
    if (one->x509) taken += X509_STORE_add_cert(store, one->x509);
    if (one->crl) taken += X509_STORE_add_crl(store, one->crl);
  }
  ERR_clear_error();
  return taken > 0;
}

void append_stamp(const std::string& path, std::string& stamp) {
  struct stat info{};
  if (path.empty() || ::stat(path.c_str(), &info) != 0) return;
  append_formatted(stamp, "{}:{}.{}:{};", info.st_ino, info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size);
}

}  // namespace

bool is_directory(const char* path) noexcept {
  struct stat info{};
  return ::stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

BioPtr pem_reader(std::string_view text) { return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

X509Ptr next_certificate(BIO* from) { return X509Ptr(PEM_read_bio_X509(from, nullptr, no_passphrase, nullptr)); }

// Reading ends with "no start line" at the end of the text and with another error inside a damaged certificate.
bool is_at_pem_end() {
  const unsigned long code = ERR_peek_last_error();
  return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

std::string no_certificate_in(BIO* from) { return "it contains no PEM certificate" + (from ? pem_form_of(*from) : std::string()); }

Failure unusable_pem(const std::string& from, std::string_view why) {
  ERR_clear_error();
  return Failure(Errc::invalid_argument, fmt::format("{} cannot be used: {}", from.empty() ? "the PEM text" : from, why));
}

Result<void> trust_file(X509_STORE* store, const std::string& path, std::string_view what) {
  const PemText authorities(path);
  if (!authorities.bio()) return unreadable_file(what, path, authorities.text().error());
  return trust_text(store, authorities.bio()) ? Result<void>() : unusable_file(what, path, "it contains no PEM certificate");
}

Result<void> use_identity(SSL_CTX* context, BIO* from, BIO* key_from, const std::string& name) {
  ERR_clear_error();
  const X509Ptr own = next_certificate(from);
  if (!own) return unusable_pem(name, is_at_pem_end() ? no_certificate_in(from) : std::string("the certificate is damaged"));
  if (SSL_CTX_use_certificate(context, own.get()) != 1) return unusable_pem(name, "OpenSSL refuses the certificate");
  for (X509Ptr link = next_certificate(from); link; link = next_certificate(from)) {
    if (SSL_CTX_add1_chain_cert(context, link.get()) != 1) return unusable_pem(name, "OpenSSL refuses its chain");
  }
  if (!is_at_pem_end()) return unusable_pem(name, "its chain is damaged");
  ERR_clear_error();
  const Result<PrivateKeyPtr> key = read_private_key(*key_from);
  if (!key) return unusable_pem(name, "its key " + key.error().what());
  // The first takes a key of another type without a word, beside the certificate.
  const bool is_taken = SSL_CTX_use_PrivateKey(context, key->get()) == 1 && SSL_CTX_check_private_key(context) == 1;
  if (!is_taken) return unusable_pem(name, "the key is not the certificate's");
  ERR_clear_error();
  return {};
}

Result<void> use_identity_files(SSL_CTX* context, const TlsFiles& files, std::string_view what) {
  ERR_clear_error();
  const PemText certificate(files.certificate);
  if (!certificate.bio()) return unreadable_file(what, files.certificate, certificate.text().error());
  const PemText key(files.key);
  if (!key.bio()) return unreadable_file(fmt::format("{}'s key", what), files.key, key.text().error());
  return use_identity(context, certificate.bio(), key.bio(), fmt::format("{} {}", what, quoted_path(files.certificate)));
}

TlsFiles::TlsFiles(const NetworkOptions& network)
    : authorities(network.ca_file), certificate(network.certificate_file),
      key(network.key_file.empty() ? network.certificate_file : network.key_file) {}

std::string stamp_of_file(const std::string& path) {
  std::string stamp;
  append_stamp(path, stamp);
  return stamp;
}

std::string TlsFiles::stamp() const {
  std::string stamp;
  for (const std::string* const path : {&authorities, &certificate, &key}) append_stamp(*path, stamp);
  return stamp;
}

}  // namespace rollcall
