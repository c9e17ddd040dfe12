// Matches hosts with certificates: one rule for HTTPS and gRPC.
#pragma once

#include <openssl/x509v3.h>

#include <string>

namespace rollcall {

/// Only the subject alternative names are used, as RFC 9525 requires; a common name is ignored. A wildcard matches a whole label.
inline constexpr unsigned certificate_name_flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;

/// The host in the form of certificates and SNI: without the dot at the end of a full name. Empty for an invalid name: for an empty one, or
/// one with a zero byte, OpenSSL would check no name at all, or a truncated one.
std::string certificate_name(const std::string& host);

/// An IP address is compared with the addresses of a certificate, never with its names.
bool is_ip_address(const std::string& name);

/// True if `certificate` is for `host`.
bool is_certificate_for(X509& certificate, const std::string& host);

}  // namespace rollcall
