// The format's rules for comparing results.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace rollcall::conformance {

namespace json = boost::json;

enum class CompareMode {
  exact,   ///< objects have the same members, apart from nulls; arrays the same elements in order
  subset,  ///< objects may have more members than expected (decode_*)
  set,     ///< the order of the top-level array is ignored (jobs)
};

/// None when `actual` matches `expected`, else the place where they differ. `{"$regex": r}` in `expected` is searched for in a text; null
/// matches an absent member too; members called `port` compare as decimal text, those called `ipAddress` with or without brackets.
std::optional<std::string> mismatch(const json::value& expected, const json::value& actual, CompareMode mode = CompareMode::exact);

/// The mode in which a call's result is compared.
CompareMode mode_of(std::string_view call);

/// The error if a regular expression in `expected` cannot be compiled.
std::optional<std::string> bad_pattern(const json::value& expected);

}  // namespace rollcall::conformance
