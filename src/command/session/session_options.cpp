#include "command/session/session_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"
#include "command/session/wire/params.hpp"
#include "json/json_dom.hpp"

namespace rollcall::serve {
namespace {

constexpr std::array<std::string_view, 3> log_words = {"none", "warnings", "all"};

// `--connect-to` is `connect_to`, `--http1.1` is `http1_1`.
std::string option_name(const command::OptionRow& row) {
  std::string name(row.name.substr(row.name.find_first_not_of('-')));
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

// The value as the command line's parser expects it. `--retries N` takes a number.
Result<std::string> option_text(const command::OptionRow& row, const boost::json::value& value) {
  const bool is_whole = value.is_int64() || value.is_uint64();
  if (row.value == "N" && !value.is_string() && !is_whole)
    return Failure(Errc::invalid_argument, fmt::format("is {}, not a whole number", value.is_double() ? "a fraction" : kind_name(value)));
  return read_text_or_number(value);
}

Result<void> apply_option(const command::OptionRow& row, const boost::json::value& value, command::Arguments& arguments) {
  if (row.value.empty()) {
    if (!value.is_bool()) return Failure(Errc::invalid_argument, fmt::format("is {}, not true or false", kind_name(value)));
    return value.as_bool() ? command::apply_option(row, {}, arguments) : Result<void>();
  }
  if (!row.is_repeatable) {
    const Result<std::string> text = option_text(row, value);
    if (!text) return text.error();
    return command::apply_option(row, *text, arguments);
  }
  const Result<std::vector<std::string>> texts = read_texts(value);
  if (!texts) return texts.error();
  for (const std::string& text : *texts) {
    const Result<void> applied = command::apply_option(row, text, arguments);
    if (!applied) return applied.error();
  }
  return Result<void>();
}

Result<void> read_environment(const boost::json::value& value, SessionOptions& options) {
  const boost::json::object* const variables = value.if_object();
  if (!variables) return Failure(Errc::invalid_argument, fmt::format("is {}, not an object of texts", kind_name(value)));
  options.environment.emplace();
  for (const auto& variable : *variables) {
    const boost::json::string* const text = variable.value().if_string();
    const std::string_view name = variable.key();
    if (!text)
      return about_param(quoted(name, 64), Failure(Errc::invalid_argument, fmt::format("is {}, not a text", kind_name(variable.value()))));
    options.environment->emplace(std::string(name), std::string(std::string_view(*text)));
  }
  return Result<void>();
}

}  // namespace

Result<void> read_options(const boost::json::value& value, SessionOptions& options) {
  const boost::json::object* const members = value.if_object();
  if (!members) return Failure(Errc::invalid_argument, fmt::format("is {}, not an object", kind_name(value)));
  std::vector<std::string> names;
  for (const command::OptionRow& row : options.rows) names.push_back(option_name(row));
  names.insert(names.end(), {"environment", "log"});
  for (const auto& member : *members) {
    const std::string_view name = member.key();
    if (member.value().is_null()) continue;
    Result<void> applied;
    if (name == "environment") {
      applied = read_environment(member.value(), options);
    } else if (name == "log") {
      const Result<std::size_t> word = read_word(member.value(), log_words);
      if (word) options.log = static_cast<LogRecords>(*word);
      if (!word) applied = word.error();
    } else {
      const auto row = std::find_if(options.rows.begin(), options.rows.end(),
                                    [name](const command::OptionRow& one) { return option_name(one) == name; });
      if (row == options.rows.end()) {
        const std::vector<std::string_view> known(names.begin(), names.end());
        return unknown_name("option", name, known);
      }
      applied = apply_option(*row, member.value(), options.arguments);
    }
    if (!applied) return about_param(name, applied.error());
  }
  return Result<void>();
}

}  // namespace rollcall::serve
