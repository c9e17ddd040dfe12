// PEM as secret stores, variables and templates spoil it: its line ends written as two characters, or lost.
#pragma once

#include <string_view>

#include "rollcall/secret.hpp"

namespace rollcall {

/// The PEM text with its line ends, where it has them as `\n` or `\r\n` in two or four characters and no other; else as it is.
Secret<std::string> with_line_ends(std::string_view pem);

/// What is wrong with the form of a text that should be PEM, as the end of "is no PEM private key": "its line ends are \n as two
/// characters"; empty: nothing that could be told.
std::string_view pem_form_fault(std::string_view text) noexcept;

}  // namespace rollcall
