// Facts about the certificate of a server, after it was verified.
#pragma once

#include <openssl/ssl.h>

#include <optional>

#include "rollcall/server_certificate.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// Its expiry; absent if that is no date.
std::optional<WallTime> end_of_certificate(const X509& certificate);

/// After the handshake. Does nothing if the server presented no certificate.
void report_certificate(SSL& connection, CertificateObserver& observer);

}  // namespace rollcall
