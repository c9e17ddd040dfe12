// Why a text holds no PEM: read once more from its beginning, and forgotten.
#pragma once

#include <openssl/bio.h>

#include <string>

namespace rollcall {

/// What goes behind "holds no PEM certificate" or the like: ": its line ends are \n as two characters"; empty where nothing can be told.
/// `text` is read from its beginning.
std::string pem_form_of(BIO& text);

}  // namespace rollcall
