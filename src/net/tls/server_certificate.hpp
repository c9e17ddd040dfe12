// What the certificate of a server says, once it was accepted.
#pragma once

#include <openssl/ssl.h>

#include <optional>

#include "rollcall/server_certificate.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// The end of its time; absent where that is no date.
std::optional<WallTime> end_of_certificate(const X509& certificate);

/// After the handshake. Says nothing if the server showed no certificate.
void tell_certificate(SSL& connection, CertificateObserver& observer);

}  // namespace rollcall
