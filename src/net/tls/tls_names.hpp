// Which hosts a certificate is for: one rule for HTTPS and gRPC.
#pragma once

#include <openssl/x509v3.h>

#include <string>

namespace rollcall {

/// Only the subject alternative names count, as RFC 9525 has it; a common name is a remark to people. A wildcard stands for a whole label.
inline constexpr unsigned certificate_name_flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;

/// The host as certificates and SNI have it: without the dot at the end of a full name. Empty for what is no name: OpenSSL would take an
/// empty one, or what stands before a zero byte, and check no name at all, or another.
std::string certificate_name(const std::string& host);

/// An IP address is compared with the addresses of a certificate, never with its names.
bool is_ip_address(const std::string& name);

/// Whether `certificate` is for `host`.
bool is_certificate_for(X509& certificate, const std::string& host);

}  // namespace rollcall
