// What to say about a body that is not the JSON it should be.
#pragma once

#include <boost/json/error.hpp>
#include <cstddef>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

/// `document` names what was read ("the TPU node"), `at` is the byte where parsing stopped, `start` the beginning of the
/// body (it tells an HTML page from broken JSON). limit_exceeded for nesting, malformed_response otherwise.
Failure json_failure(std::string_view document, const boost::json::error_code& error, std::size_t at, std::string_view start);

/// A failure when `body` is plainly no JSON: empty, or markup. `document` as above.
Result<void> check_looks_like_json(std::string_view document, std::string_view body);

}  // namespace rollcall
