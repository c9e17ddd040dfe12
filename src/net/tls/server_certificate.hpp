// What the certificate of a server says, once it was accepted.
#pragma once

#include <openssl/ssl.h>

#include "rollcall/server_certificate.hpp"

namespace rollcall {

/// After the handshake. Says nothing if the server showed no certificate.
void tell_certificate(SSL& connection, CertificateObserver& observer);

}  // namespace rollcall
