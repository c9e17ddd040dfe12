#include "command/session/wire/params.hpp"

#include <algorithm>
#include <cmath>

#include "base/value_readers.hpp"

namespace rollcall::serve {
namespace {

constexpr std::int64_t max_seconds = std::int64_t{366} * 86400;

Failure other_kind(std::string_view expected, const boost::json::value& value) {
  return Failure(Errc::invalid_argument, fmt::format("is {}, not {}", kind_name(value), expected));
}

Failure no_duration(std::string shown) {
  return Failure(Errc::invalid_argument,
                 fmt::format("{} is no time; accepted are seconds, more than 0 and at most {}", shown, max_seconds));
}

}  // namespace

Failure about_param(std::string_view name, const Failure& failure) {
  return Failure(failure.code(), fmt::format("{}: {}", name, failure.what())).with_hint(failure.hint());
}

Result<std::string> read_text(const boost::json::value& value) {
  const boost::json::string* const text = value.if_string();
  if (!text) return other_kind("a text", value);
  if (text->empty()) return Failure(Errc::invalid_argument, "the text is empty");
  if (std::string_view(*text).find('\0') != std::string_view::npos)
    return Failure(Errc::invalid_argument, "there is a zero byte in the text");
  return std::string(std::string_view(*text));
}

Result<std::string> read_text_or_number(const boost::json::value& value) {
  if (const std::int64_t* const number = value.if_int64()) return fmt::format_int(*number).str();
  if (const std::uint64_t* const number = value.if_uint64()) return fmt::format_int(*number).str();
  return read_text(value);
}

Result<bool> read_flag(const boost::json::value& value) {
  const bool* const flag = value.if_bool();
  if (!flag) return other_kind("true or false", value);
  return *flag;
}

Result<std::int64_t> read_whole(const boost::json::value& value, std::int64_t low, std::int64_t high) {
  if (!value.is_number()) return other_kind("a whole number", value);
  const std::int64_t* const number = value.if_int64();
  if (!number || *number < low || *number > high)
    return Failure(Errc::invalid_argument, fmt::format("is no whole number from {} to {}", low, high));
  return *number;
}

Result<Duration> read_seconds(const boost::json::value& value) {
  if (!value.is_number()) return other_kind("a number of seconds", value);
  std::error_code ignored;
  const double seconds = value.to_number<double>(ignored);
  // Not-a-number compares false.
  if (!(seconds > 0 && seconds <= static_cast<double>(max_seconds))) return no_duration(fmt::format("{}", seconds));
  return Duration(std::max<std::int64_t>(1, std::llround(seconds * 1e9)));
}

Result<std::vector<std::string>> read_texts(const boost::json::value& value) {
  const boost::json::array* const list = value.if_array();
  if (!list) return other_kind("a list of texts", value);
  std::vector<std::string> texts;
  texts.reserve(list->size());
  for (const boost::json::value& one : *list) {
    Result<std::string> text = read_text(one);
    if (!text) return Failure(text.error().code(), fmt::format("element {}: {}", texts.size(), text.error().what()));
    texts.push_back(std::move(*text));
  }
  return texts;
}

Result<std::size_t> read_word(const boost::json::value& value, std::span<const std::string_view> words) {
  const boost::json::string* const text = value.if_string();
  if (!text) return other_kind("a text", value);
  return choice_among(*text, words);
}

}  // namespace rollcall::serve
