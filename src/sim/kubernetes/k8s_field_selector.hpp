// Field selectors of pods, with the API server's fields and error texts.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall::sim {

struct FieldTerm {
  std::string field;
  std::string value;
  bool is_negated = false;
};

using FieldSelector = std::vector<FieldTerm>;

/// `a=b`, `a==b`, `a!=b`, joined by commas; `\` escapes. Errors: invalid_argument with the server's text.
Result<FieldSelector> parse_field_selector(std::string_view text);

/// The first field that cannot be selected by.
std::optional<std::string> unknown_field(const FieldSelector& selector);

bool matches(const FieldSelector& selector, const boost::json::object& pod);

}  // namespace rollcall::sim
