#include "net/tls/server_certificate.hpp"

#include <fmt/format.h>

#include <ctime>
#include <memory>

#include "base/text.hpp"
#include "base/timestamp.hpp"

namespace rollcall {
namespace {

std::string entry_of(const X509_NAME* name, int what) {
  const int at = X509_NAME_get_index_by_NID(name, what, -1);
  const ASN1_STRING* const text = at < 0 ? nullptr : X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
  unsigned char* bytes = nullptr;
  const int size = text ? ASN1_STRING_to_UTF8(&bytes, text) : -1;
  if (size < 0) return {};
  std::string entry = printable(std::string_view(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)), 128);
  OPENSSL_free(bytes);
  return entry;
}

// Its organisation and its own name, as browsers show them.
std::string issuer_of(const X509& certificate) {
  const X509_NAME* const name = X509_get_issuer_name(&certificate);
  const std::string organization = entry_of(name, NID_organizationName);
  const std::string common = entry_of(name, NID_commonName);
  if (organization.empty() || common.empty()) return organization.empty() ? common : organization;
  return fmt::format("{} ({})", organization, common);
}

}  // namespace

std::optional<WallTime> end_of_certificate(const X509& certificate) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &parts) != 1) return std::nullopt;
  return parse_rfc3339(fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                                   parts.tm_hour, parts.tm_min, parts.tm_sec));
}

void report_certificate(SSL& connection, CertificateObserver& observer) {
  const std::unique_ptr<X509, decltype(&X509_free)> shown(SSL_get1_peer_certificate(&connection), X509_free);
  if (!shown) return;
  ServerCertificate certificate;
  certificate.issuer = issuer_of(*shown);
  certificate.valid_until = end_of_certificate(*shown);
  certificate.protocol = SSL_get_version(&connection);
  observer.certificate_seen(certificate);
}

}  // namespace rollcall
