// Trust anchors and a client's identity, from PEM text into an OpenSSL context.
#pragma once

#include <openssl/ssl.h>

#include "rollcall/error.hpp"
#include "rollcall/server_access.hpp"

namespace rollcall {

/// Errors: invalid_argument naming where the text comes from; never the text.
Result<void> trust_authorities(SSL_CTX* context, const ServerAccess& access);
/// Certificate, chain and key. Errors: invalid_argument (none in it, key of another certificate, key with a passphrase).
Result<void> use_identity(SSL_CTX* context, const ServerAccess& access);

}  // namespace rollcall
