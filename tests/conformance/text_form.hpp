// Text forms of JSON values, for comparing and for messages.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace rollcall::conformance {

namespace json = boost::json;

/// A text as it is, numbers and booleans as in JSON, null as "".
std::string scalar_text(const json::value& value);

/// One line of JSON for messages: safe to print, and cut when it is long.
std::string short_text(const json::value& value);

}  // namespace rollcall::conformance
