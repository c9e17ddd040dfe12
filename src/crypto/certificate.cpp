#include "crypto/certificate.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "crypto/pem_form.hpp"
#include "crypto/private_key.hpp"

namespace rollcall {
namespace {

struct CertificateDeleter {
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
  void operator()(BIO* text) const noexcept { BIO_free(text); }
};
using CertificateHandle = std::unique_ptr<X509, CertificateDeleter>;
using TextHandle = std::unique_ptr<BIO, CertificateDeleter>;

// For an encrypted certificate OpenSSL would prompt for the passphrase on the terminal.
int refuse_passphrase(char*, int, int, void*) { return -1; }

CertificateHandle next_of(BIO* text) {
  return CertificateHandle(text ? PEM_read_bio_X509(text, nullptr, refuse_passphrase, nullptr) : nullptr);
}

TextHandle text_handle(std::string_view pem) { return TextHandle(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))); }

// Reading stops at the end of the text, or at a damaged part.
bool is_damaged_behind() {
  const unsigned long code = ERR_peek_last_error();
  const bool is_end = ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  return !is_end;
}

Failure no_certificate(BIO* text) {
  if (is_damaged_behind()) return Failure(Errc::invalid_argument, "holds a damaged certificate");
  return Failure(Errc::invalid_argument, "holds no PEM certificate" + (text ? pem_form_of(*text) : std::string()));
}

std::string name_in(const X509_NAME* name) {
  const int at = name ? X509_NAME_get_index_by_NID(name, NID_commonName, -1) : -1;
  if (at >= 0) {
    unsigned char* text = nullptr;
    const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    std::string shown =
        size > 0 ? printable(std::string_view(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)), 128) : "";
    OPENSSL_free(text);
    if (!shown.empty()) return shown;
  }
  const TextHandle out(BIO_new(BIO_s_mem()));
  if (!out || !name || X509_NAME_print_ex(out.get(), name, 0, XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB) < 0) return {};
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return printable(std::string_view(data, size > 0 ? static_cast<std::size_t>(size) : 0), 128);
}

WallTime time_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (!time || ASN1_TIME_to_tm(time, &parts) != 1) return WallTime::min();
  constexpr int first_year = 1678;
  constexpr int last_year = 2261;
  const int year = parts.tm_year + 1900;
  if (year < first_year) return WallTime::min();
  if (year > last_year) return WallTime::max();
  const auto text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", year, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  return parse_rfc3339(text).value_or(WallTime::min());
}

}  // namespace

Result<CertificateFacts> read_certificate(std::string_view pem) {
  ERR_clear_error();
  const TextHandle text = text_handle(pem);
  const CertificateHandle certificate = next_of(text.get());
  if (!certificate) return no_certificate(text.get());
  CertificateFacts facts;
  facts.name = name_in(X509_get_subject_name(certificate.get()));
  facts.issuer = name_in(X509_get_issuer_name(certificate.get()));
  facts.begins = time_of(X509_get0_notBefore(certificate.get()));
  facts.ends = time_of(X509_get0_notAfter(certificate.get()));
  ERR_clear_error();
  return facts;
}

std::string date_fault(const CertificateFacts& facts, WallTime now) {
  if (facts.ends <= now) {
    return fmt::format("ended on {} ({} ago)", format_rfc3339(facts.ends), coarse_duration_text(saturating_difference(now, facts.ends)));
  }
  if (facts.begins <= now) return {};
  return fmt::format("is not valid before {} (in {})", format_rfc3339(facts.begins),
                     coarse_duration_text(saturating_difference(facts.begins, now)));
}

Result<bool> is_key_of(std::string_view key, std::string_view certificate) {
  ERR_clear_error();
  const TextHandle text = text_handle(certificate);
  const CertificateHandle first = next_of(text.get());
  if (!first) return no_certificate(text.get());
  const TextHandle key_text = text_handle(key);
  if (!key_text) return Failure(Errc::invalid_argument, "cannot be read: out of memory");
  const Result<PrivateKeyPtr> own = read_private_key(*key_text);
  if (!own) return own.error();
  const bool fits = X509_check_private_key(first.get(), own->get()) == 1;
  ERR_clear_error();
  return fits;
}

Result<AuthorityFacts> read_authorities(std::string_view pem, WallTime now) {
  ERR_clear_error();
  AuthorityFacts facts;
  const TextHandle text = text_handle(pem);
  for (CertificateHandle one = next_of(text.get()); one; one = next_of(text.get())) {
    ++facts.count;
    if (time_of(X509_get0_notAfter(one.get())) <= now) ++facts.ended;
  }
  if (facts.count == 0) return no_certificate(text.get());
  if (is_damaged_behind()) return Failure(Errc::invalid_argument, "holds a damaged certificate");
  return facts;
}

}  // namespace rollcall
