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
  set,     ///< the top-level array is compared without regard to order (jobs)
};

/// None when `actual` is what `expected` describes, else the place where they differ. `{"$regex": r}` in `expected` is searched for in a
/// text; null stands for an absent member too; members called `port` compare as decimal text, those called `ipAddress` with or without
/// brackets.
std::optional<std::string> mismatch(const json::value& expected, const json::value& actual, CompareMode mode = CompareMode::exact);

/// The mode that a call's result is compared in.
CompareMode mode_of(std::string_view call);

/// Whether a regular expression in `expected` cannot be compiled: what is wrong with it.
std::optional<std::string> bad_pattern(const json::value& expected);

}  // namespace rollcall::conformance
