// Parameters by name, as a table: the name of each, its type, and the field for its value. Unknown names, wrong types and values out of
// range are refused by name. Pure.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/session/wire/message.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall::serve {

inline constexpr std::int64_t max_window = 1'000'000;  ///< events that a client accepts at a time

// One value. Errors: invalid_argument, naming the value's type and the expected one.
Result<std::string> read_text(const boost::json::value& value);  ///< not empty, no zero byte
/// Or a whole number, in the form of the command line.
Result<std::string> read_text_or_number(const boost::json::value& value);
Result<bool> read_flag(const boost::json::value& value);
Result<std::int64_t> read_whole(const boost::json::value& value, std::int64_t low, std::int64_t high);
/// Seconds, whole or not: positive, and at most a year.
Result<Duration> read_seconds(const boost::json::value& value);
Result<std::vector<std::string>> read_texts(const boost::json::value& value);
/// The index in `words`.
Result<std::size_t> read_word(const boost::json::value& value, std::span<const std::string_view> words);

template <class Question>
struct ParamRow {
  std::string_view name;
  Result<void> (*apply)(Question&, const boost::json::value& value);
  bool is_required = false;
};

/// The failure of a value, with the parameter's name in front.
Failure about_param(std::string_view name, const Failure& failure);

/// Stores the values of `params` in `question`; null means the default. Errors: invalid_argument naming the parameter.
template <class Question>
Result<void> read_params(std::span<const ParamRow<Question>> rows, const boost::json::object* params, Question& question) {
  std::vector<std::string_view> names;
  for (const ParamRow<Question>& row : rows) names.push_back(row.name);
  static const boost::json::object none;
  for (const auto& member : params ? *params : none) {
    const std::string_view name = member.key();
    if (std::find(names.begin(), names.end(), name) == names.end()) return unknown_name("parameter", name, names);
  }
  for (const ParamRow<Question>& row : rows) {
    const boost::json::value* const value = params ? params->if_contains(row.name) : nullptr;
    if (!value || value->is_null()) {
      if (row.is_required) return Failure(Errc::invalid_argument, fmt::format("{} is missing", row.name));
      continue;
    }
    const Result<void> applied = row.apply(question, *value);
    if (!applied) return about_param(row.name, applied.error());
  }
  return Result<void>();
}

}  // namespace rollcall::serve
