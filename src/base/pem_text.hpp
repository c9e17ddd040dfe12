// Repairs PEM text from secret stores, variables and templates whose line ends were written as two characters, or lost.
#pragma once

#include <string_view>

#include "rollcall/secret.hpp"

namespace rollcall {

/// The PEM text with real line ends, if it has them only as `\n` or `\r\n` in two or four characters; else unchanged.
Secret<std::string> with_line_ends(std::string_view pem);

/// The fault in the form of a text that should be PEM, as the end of "is no PEM private key": "its line ends are \n as
/// two characters"; empty: no fault was found.
std::string_view pem_form_fault(std::string_view text) noexcept;

}  // namespace rollcall
