#include "net/tls/pem_files.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <utility>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "base/wiped_buffer.hpp"
#include "keys/pem_form.hpp"
#include "keys/private_key.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {
namespace {

// `what`: the CA file; `lacking`: what was not found in it.
Failure unusable_file(std::string_view what, const std::string& path, std::string lacking) {
  const unsigned long code = ERR_peek_last_error();
  struct stat info{};
  std::string why = std::move(lacking);
  if (::stat(path.c_str(), &info) != 0) {
    why = std::error_code(errno, std::system_category()).message();
  } else if (S_ISDIR(info.st_mode)) {
    why = "it is a directory";
  } else if (ERR_GET_LIB(code) == ERR_LIB_SYS) {
    why = std::error_code(ERR_GET_REASON(code), std::system_category()).message();
  }
  ERR_clear_error();
  return Failure(Errc::invalid_argument, fmt::format("{} {} cannot be used: {}", what, quoted_path(path), why))
      .with_target(path_text(path));
}

// A file that may hold a private key: the C library would leave what it has read ahead in its buffer.
class WipedFile {
 public:
  explicit WipedFile(const std::string& path) : bio_(is_directory(path.c_str()) ? nullptr : BIO_new_file(path.c_str(), "r")) {
    std::FILE* file = nullptr;
    if (bio_ && BIO_get_fp(bio_.get(), &file) == 1) std::setvbuf(file, ahead_.data(), _IOFBF, ahead_.size());
  }
  ~WipedFile() {
    bio_.reset();
    wipe(ahead_.data(), ahead_.size());
  }
  WipedFile(const WipedFile&) = delete;
  WipedFile& operator=(const WipedFile&) = delete;
  BIO* bio() const noexcept { return bio_.get(); }

 private:
  std::array<char, 4096> ahead_;
  BioPtr bio_;
};

// Of an encrypted certificate, which nobody has but whoever means harm, OpenSSL would ask the terminal for the passphrase.
int no_passphrase(char*, int, int, void*) { return -1; }

}  // namespace

bool is_directory(const char* path) noexcept {
  struct stat info{};
  return ::stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

BioPtr pem_reader(std::string_view text) { return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

X509Ptr next_certificate(BIO* from) { return X509Ptr(PEM_read_bio_X509(from, nullptr, no_passphrase, nullptr)); }

// Reading ends with "no start line" at the end of the text and with anything else inside a damaged certificate.
bool is_at_pem_end() {
  const unsigned long code = ERR_peek_last_error();
  return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

std::string no_certificate_in(BIO* from) { return "it contains no PEM certificate" + (from ? pem_form_of(*from) : std::string()); }

Failure unusable_pem(const std::string& from, std::string_view why) {
  ERR_clear_error();
  return Failure(Errc::invalid_argument, fmt::format("{} cannot be used: {}", from.empty() ? "the PEM text" : from, why));
}

Result<void> trust_file(SSL_CTX* context, const std::string& path, std::string_view what) {
  if (is_directory(path.c_str()) || SSL_CTX_load_verify_file(context, path.c_str()) != 1)
    return unusable_file(what, path, "it contains no PEM certificate");
  return {};
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
  if (SSL_CTX_use_PrivateKey(context, key->get()) != 1) return unusable_pem(name, "the key is not the certificate's");
  ERR_clear_error();
  return {};
}

Result<void> use_identity_files(SSL_CTX* context, const TlsFiles& files, std::string_view what) {
  ERR_clear_error();
  const WipedFile certificate(files.certificate);
  if (!certificate.bio()) return unusable_file(what, files.certificate, "it cannot be opened");
  const WipedFile key(files.key);
  if (!key.bio()) return unusable_file(fmt::format("{}'s key", what), files.key, "it cannot be opened");
  return use_identity(context, certificate.bio(), key.bio(), fmt::format("{} {}", what, quoted_path(files.certificate)));
}

TlsFiles::TlsFiles(const NetworkOptions& network)
    : authorities(network.ca_file), certificate(network.certificate_file),
      key(network.key_file.empty() ? network.certificate_file : network.key_file) {}

std::string TlsFiles::stamp() const {
  std::string stamp;
  for (const std::string* const path : {&authorities, &certificate, &key}) {
    struct stat info{};
    if (path->empty() || ::stat(path->c_str(), &info) != 0) continue;
    fmt::format_to(std::back_inserter(stamp), "{}:{}.{}:{};", info.st_ino, info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size);
  }
  return stamp;
}

}  // namespace rollcall
