// Explains why a text contains no PEM: reads it once more from its beginning, then wipes it.
#pragma once

#include <openssl/bio.h>

#include <string>

namespace rollcall {

/// The text after "holds no PEM certificate" or the like: ": its line ends are \n as two characters"; empty if the reason is not
/// known. `text` is read from its beginning.
std::string pem_form_of(BIO& text);

}  // namespace rollcall
