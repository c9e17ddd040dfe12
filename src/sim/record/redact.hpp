// Removes secrets, and what only makes a recording large, from recorded answers.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

namespace rollcall::sim {

/// Values that may be secrets become `***`: variables of containers, values of metadata, members whose names announce a secret, words that
/// look like one. Commands of containers, managedFields and applied configurations are removed.
void redact(boost::json::value& answer);

/// The same for an answer that is not JSON.
std::string redacted_text(std::string_view text);

}  // namespace rollcall::sim
