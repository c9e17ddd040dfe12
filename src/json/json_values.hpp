// Kinds of values that json_field() takes. Each reads a value of a document into a slot, or complains of it, and writes it as JSON.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/text.hpp"
#include "json/json_shape.hpp"
#include "json/json_text.hpp"

namespace rollcall {

/// One of `count` values of an enumeration from `first` on, by its word.
template <class Value>
std::optional<Value> value_named(std::string_view word, std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < first + count; ++i) {
    if (to_string(static_cast<Value>(i)) == word) return static_cast<Value>(i);
  }
  return std::nullopt;
}

inline bool append_json_number(std::string& out, std::integral auto number) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
  return true;
}

/// A string literal as an argument of a template.
template <std::size_t N>
class JsonNoun {
 public:
  consteval JsonNoun(const char (&literal)[N]) { std::copy_n(literal, N, text); }  // NOLINT(google-explicit-constructor)
  constexpr std::string_view view() const { return {text, N - 1}; }
  char text[N]{};
};

/// A text, read unchanged into a std::string. Base of the other kinds of texts.
class JsonText {
 public:
  static constexpr JsonKind kind = JsonKind::text;
  static std::string read(std::string& slot, std::string_view text) {
    slot = text;
    return {};
  }
  static bool write(std::string& out, std::string_view text) {
    append_json_string(out, text);
    return true;
  }
};
/// Read by printable_line().
class LineText : public JsonText {
 public:
  static std::string read(std::string& slot, std::string_view text) {
    slot = printable_line(text);
    return {};
  }
};
/// Read by printable().
template <std::size_t max_bytes>
class PrintableText : public JsonText {
 public:
  static std::string read(std::string& slot, std::string_view text) {
    slot = printable(text, max_bytes);
    return {};
  }
};
/// The same; left out where it is empty.
template <std::size_t max_bytes>
class OptionalText : public PrintableText<max_bytes> {
 public:
  static bool write(std::string& out, std::string_view text) { return !text.empty() && JsonText::write(out, text); }
};

/// A value of an enumeration as its to_string(): one of `count`, from `first` on. Complaint: `is 'done', no NOUN`.
template <class Value, std::size_t count, JsonNoun noun, std::size_t first = 0>
class WordOf {
 public:
  static constexpr JsonKind kind = JsonKind::text;
  static std::string read(Value& slot, std::string_view word) {
    const std::optional<Value> known = value_named<Value>(word, first, count);
    if (!known) return complain(word);
    slot = *known;
    return {};
  }
  static std::string complain(std::string_view word) { return fmt::format("is {}, no {}", quoted(word, 64), noun.view()); }
  static bool write(std::string& out, Value value) { return JsonText::write(out, to_string(value)); }
};

/// A whole number from 0 to `max`. Complaint: `is -1, FAULT`.
template <std::int64_t max, JsonNoun fault>
class NumberUpTo {
 public:
  static constexpr JsonKind kind = JsonKind::integer;
  static std::string read(auto& slot, std::int64_t number) {
    if (number < 0 || number > max) return fmt::format("is {}, {}", number, fault.view());
    slot = static_cast<std::remove_reference_t<decltype(slot)>>(number);
    return {};
  }
  static bool write(std::string& out, std::integral auto number) { return append_json_number(out, number); }
};

/// A duration in milliseconds, read as at most a year. Left out where there is none.
class AgeMilliseconds {
 public:
  static constexpr JsonKind kind = JsonKind::integer;
  static std::string read(auto& slot, std::int64_t milliseconds) {
    constexpr std::int64_t max_age = std::int64_t{366} * 24 * 60 * 60 * 1000;
    if (milliseconds < 0) return fmt::format("is {}, no age", milliseconds);
    slot = std::chrono::milliseconds(std::min(milliseconds, max_age));
    return {};
  }
  template <class Unit>
  static bool write(std::string& out, std::chrono::duration<std::int64_t, Unit> age) {
    return append_json_number(out, std::chrono::duration_cast<std::chrono::milliseconds>(age).count());
  }
  static bool write(std::string& out, const std::optional<std::chrono::milliseconds>& age) {
    return age && append_json_number(out, age->count());
  }
};
/// The same, but `null` where there is none.
class AgeOrNull : public AgeMilliseconds {
 public:
  static constexpr bool takes_null = true;  ///< read() takes an optional number
  static std::string read(auto& slot, std::optional<std::int64_t> milliseconds) {
    if (milliseconds) return AgeMilliseconds::read(slot, *milliseconds);
    slot.reset();
    return {};
  }
  static bool write(std::string& out, const std::optional<std::chrono::milliseconds>& age) {
    if (!AgeMilliseconds::write(out, age)) out += "null";
    return true;
  }
};

}  // namespace rollcall
