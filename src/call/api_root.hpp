// Where an API is.
#pragma once

#include <string_view>

#include "rollcall/http_message.hpp"

namespace rollcall {

/// `https://host[:port]/path/`, with a slash at the end. `origin_of_value` names the value's origin in the message: "the endpoint option";
/// `what` is what it should be. Errors: invalid_argument.
Result<Url> parse_api_root(std::string_view origin_of_value, std::string_view text, std::string_view what = "the root of an API");

}  // namespace rollcall
