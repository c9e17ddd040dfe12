#include "net/tls/tls_fault.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <system_error>

#include "base/text.hpp"
#include "base/timestamp.hpp"

namespace rollcall {
namespace {

constexpr int max_names = 5;
constexpr const char* client_certificate_hint = "it may want a client certificate, or another one";

std::string text_of(const X509_NAME* name) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
  if (!out || !name || X509_NAME_print_ex(out.get(), name, 0, XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB) < 0) return "?";
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return printable(std::string_view(data, size > 0 ? static_cast<std::size_t>(size) : 0), 128);
}

std::string text_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (!time || ASN1_TIME_to_tm(time, &parts) != 1) return "?";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                     parts.tm_min);
}

// The distance between now and `time`, in either direction.
std::string distance_of(const ASN1_TIME* time) {
  int days = 0;
  int seconds = 0;
  if (!time || ASN1_TIME_diff(&days, &seconds, nullptr, time) != 1) return "?";
  days = std::abs(days);
  if (days > 0) return fmt::format("{} day{}", days, days == 1 ? "" : "s");
  return coarse_duration_text(std::chrono::seconds(std::abs(seconds)));
}

std::string text_of(const GENERAL_NAME& name) {
  int type = 0;
  const auto* value = static_cast<const ASN1_STRING*>(GENERAL_NAME_get0_value(&name, &type));
  const auto* const data = reinterpret_cast<const char*>(ASN1_STRING_get0_data(value));
  const auto size = static_cast<std::size_t>(ASN1_STRING_length(value));
  if (type == GEN_DNS) return printable(std::string_view(data, size), 128);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(data);
  if (size == 4) return fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]);
  std::string text;
  for (std::size_t i = 0; i + 1 < size; i += 2) text += fmt::format("{}{:x}", i == 0 ? "" : ":", bytes[i] * 256 + bytes[i + 1]);
  return text;
}

std::string names_of(X509* certificate) {
  std::string text;
  auto* const all = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  const int count = all ? sk_GENERAL_NAME_num(all) : 0;
  int shown = 0;
  int usable = 0;
  for (int i = 0; i < count; ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(all, i);
    if (name->type != GEN_DNS && name->type != GEN_IPADD) continue;
    ++usable;
    if (shown == max_names) continue;
    text += (shown == 0 ? "" : ", ") + text_of(*name);
    ++shown;
  }
  if (usable > shown) text += fmt::format(" and {} more", usable - shown);
  GENERAL_NAMES_free(all);
  if (text.empty()) return fmt::format("no host ({}, without subject alternative names)", text_of(X509_get_subject_name(certificate)));
  return text;
}

// A few of the extended key usages in OpenSSL's words.
std::string usages_of(X509* certificate) {
  auto* const all = static_cast<EXTENDED_KEY_USAGE*>(X509_get_ext_d2i(certificate, NID_ext_key_usage, nullptr, nullptr));
  const int count = all ? sk_ASN1_OBJECT_num(all) : 0;
  std::string text;
  for (int i = 0; i < std::min(count, max_names); ++i) {
    char word[80] = "";
    OBJ_obj2txt(word, sizeof word, sk_ASN1_OBJECT_value(all, i), 0);
    text += (i == 0 ? "" : ", ") + printable(word, sizeof word);
  }
  EXTENDED_KEY_USAGE_free(all);
  return text;
}

Failure certificate_failure(const std::string& host, const TlsFault& fault, std::string_view authorities_from) {
  std::string why;
  std::string hint;
  const std::string whose = fmt::format("the certificate of {}{}", fault.is_authority ? "its authority " : "", fault.subject);
  const std::string anchors = authorities_from.empty() ? "the system's" : std::string(authorities_from);
  switch (fault.code) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      why = fmt::format("its certificate is for {}, not for {}", fault.names, printable(host));
      hint = "ask it by a name that the certificate has, or map that name to its address with --connect-to";
      break;
    case X509_V_ERR_CERT_HAS_EXPIRED:
      why = fmt::format("{} expired on {} ({} ago)", whose, fault.date, fault.distance);
      hint = "it must be renewed there, unless this machine's clock is wrong";
      break;
    case X509_V_ERR_CERT_NOT_YET_VALID:
      why = fmt::format("{} is not valid before {} (in {})", whose, fault.date, fault.distance);
      hint = "check this machine's clock";
      break;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      why = fmt::format("its certificate ({}) is self-signed and not among the trust anchors ({})", fault.subject, anchors);
      hint = "if it is to be trusted, pass it with --ca FILE";
      break;
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      why = fmt::format("its certificate was issued by an unknown authority ({}), which is not among the trust anchors ({})", fault.issuer,
                        anchors);
      hint = !authorities_from.empty()
                 ? fmt::format("{} does not contain that authority", authorities_from)
                 : "if the authority is to be trusted, pass its certificate with --ca FILE; for public servers install ca-certificates";
      break;
    case X509_V_ERR_INVALID_PURPOSE:
      why = fmt::format("{} has the wrong purpose: it is for {}", whose, fault.usages.empty() ? "other uses" : fault.usages);
      hint = fault.is_authority ? "it may not issue certificates of servers"
                                : "a server's must allow TLS Web Server Authentication: another certificate is needed there";
      break;
    default: why = fmt::format("{} was refused: {}", whose, X509_verify_cert_error_string(fault.code)); break;
  }
  return Failure(Errc::tls_failed, fmt::format("{} cannot be trusted: {}", quoted(host), why)).with_hint(std::move(hint));
}

}  // namespace

int note_verification(int is_good, X509_STORE_CTX* store) {
  if (is_good) return 1;
  auto* const ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* const fault = ssl ? static_cast<TlsFault*>(SSL_get_app_data(ssl)) : nullptr;
  if (!fault) return 0;
  fault->code = X509_STORE_CTX_get_error(store);
  if (X509* const leaf = X509_STORE_CTX_get0_cert(store)) fault->names = names_of(leaf);
  if (X509* const current = X509_STORE_CTX_get_current_cert(store)) {
    fault->subject = text_of(X509_get_subject_name(current));
    fault->issuer = text_of(X509_get_issuer_name(current));
    const bool is_early = fault->code == X509_V_ERR_CERT_NOT_YET_VALID;
    const ASN1_TIME* const limit = is_early ? X509_get0_notBefore(current) : X509_get0_notAfter(current);
    fault->date = text_of(limit);
    fault->distance = distance_of(limit);
    fault->usages = usages_of(current);
    fault->is_authority = X509_STORE_CTX_get_error_depth(store) > 0;
  }
  return 0;
}

Failure describe_handshake_failure(const std::string& host, const TlsFault& fault, int ssl_error, unsigned long queue_error,
                                   int errno_value, std::string_view authorities_from) {
  if (fault.code != X509_V_OK) return certificate_failure(host, fault, authorities_from).with_phase(Phase::handshake);
  const int reason = ERR_GET_LIB(queue_error) == ERR_LIB_SSL ? ERR_GET_REASON(queue_error) : 0;
  const bool is_end = ssl_error == SSL_ERROR_ZERO_RETURN || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING ||
                      (ssl_error == SSL_ERROR_SYSCALL && errno_value == 0);
  if (is_end) {
    return Failure(Errc::unreachable, fmt::format("{} closed the connection during the TLS handshake", quoted(host)))
        .with_phase(Phase::handshake);
  }
  if (ssl_error == SSL_ERROR_SYSCALL) {
    const std::string why = std::error_code(errno_value, std::system_category()).message();
    return Failure(Errc::unreachable, fmt::format("the connection to {} broke during the TLS handshake: {}", quoted(host), why))
        .with_phase(Phase::handshake);
  }
  std::string why;
  std::string hint;
  switch (reason) {
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
      why = ERR_reason_error_string(queue_error);
      hint = client_certificate_hint;
      break;
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG: why = "the server does not speak TLS on this port"; break;
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION: why = "the server offers no TLS version from 1.2 on"; break;
    case SSL_R_TLSV1_UNRECOGNIZED_NAME: why = "the server does not know that name"; break;
    default: {
      const char* const text = ERR_reason_error_string(queue_error);
      why = text ? text : "unknown TLS error";
    }
  }
  return Failure(Errc::tls_failed, fmt::format("the TLS handshake with {} failed: {}", quoted(host), why))
      .with_phase(Phase::handshake)
      .with_hint(std::move(hint));
}

std::optional<Failure> describe_alert(std::error_code error) {
  if (std::string_view(error.category().name()) != "asio.ssl") return std::nullopt;
  const auto code = static_cast<unsigned long>(static_cast<unsigned int>(error.value()));
  if (ERR_GET_LIB(code) != ERR_LIB_SSL || ERR_GET_REASON(code) < SSL_AD_REASON_OFFSET) return std::nullopt;
  const char* const text = ERR_reason_error_string(code);
  return Failure(Errc::tls_failed, fmt::format("the server ended the TLS connection: {}", text ? text : "unknown alert"))
      .with_hint(client_certificate_hint);
}

}  // namespace rollcall
