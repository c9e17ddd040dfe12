#include "conformance/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rollcall::conformance {

std::string_view kind_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return "a boolean";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_: return "a number";
    case json::kind::string: return "a text";
    case json::kind::array: return "an array";
    case json::kind::object: return "an object";
  }
  return "something else";
}

void Reader::fail(const std::string& expected) const {
  throw FormatError(fmt::format("{}: expected {}, found {}", path_, expected, kind_of(*value_)));
}

const json::object& Reader::object() const {
  if (!value_->is_object()) fail("an object");
  return value_->get_object();
}

const json::array& Reader::array() const {
  if (!value_->is_array()) fail("an array");
  return value_->get_array();
}

std::string Reader::text() const {
  if (!value_->is_string()) fail("a text");
  return std::string(value_->get_string());
}

std::int64_t Reader::integer(std::int64_t low) const {
  if (!value_->is_int64() || value_->get_int64() < low) fail(fmt::format("an integer of at least {}", low));
  return value_->get_int64();
}

double Reader::number() const {
  if (!value_->is_number()) fail("a number");
  return value_->to_number<double>();
}

bool Reader::boolean() const {
  if (!value_->is_bool()) fail("a boolean");
  return value_->get_bool();
}

std::vector<std::string> Reader::texts() const {
  std::vector<std::string> result;
  for (const Reader& item : items()) result.push_back(item.text());
  return result;
}

std::vector<Reader> Reader::items() const {
  std::vector<Reader> result;
  for (const json::value& item : array()) result.emplace_back(item, fmt::format("{}[{}]", path_, result.size()));
  return result;
}

std::optional<Reader> Reader::member(std::string_view key) const {
  const json::value* const found = object().if_contains(key);
  if (!found) return std::nullopt;
  return Reader(*found, fmt::format("{}.{}", path_, key));
}

std::optional<Reader> Reader::find(std::string_view key) const {
  std::optional<Reader> found = member(key);
  if (found && found->value().is_null()) found.reset();
  return found;
}

Reader Reader::require(std::string_view key) const {
  const std::optional<Reader> found = member(key);
  if (!found) throw FormatError(fmt::format("{}: '{}' is missing", path_, key));
  return *found;
}

void Reader::note_unknown(std::initializer_list<std::string_view> known, std::vector<std::string>& unknown) const {
  for (const auto& [key, value] : object()) {
    if (std::find(known.begin(), known.end(), std::string_view(key)) == known.end())
      unknown.push_back(fmt::format("{}.{}", path_, std::string_view(key)));
  }
}

}  // namespace rollcall::conformance
