#include "sim/slurm/restd_record.hpp"

#include <fmt/format.h>

#include <map>

#include "base/text.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {
namespace {

constexpr std::string_view unset_number = R"({"set":false,"infinite":false,"number":0})";
constexpr std::string_view endless_number = R"({"set":false,"infinite":true,"number":0})";
constexpr std::string_view zero_number = R"({"set":true,"infinite":false,"number":0})";

json::object known_number(std::int64_t number) { return {{"set", true}, {"infinite", false}, {"number", number}}; }

void replace_each(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

json::value layout_value(std::string_view form, bool is_old) {
  if (form.empty()) return json::string();
  const std::string_view rest = form.substr(1);
  const std::int64_t number = parse_decimal<std::int64_t>(rest.starts_with('-') ? rest.substr(1) : rest).value_or(0);
  switch (form.front()) {
    case '#': return rest.starts_with('-') ? -number : number;
    case '=': return known_number(number);
    case '?': return is_old ? json::value() : json::parse(unset_number);
    case '~': return json::parse(endless_number);
    case '!': return false;
    case '[': return json::array();
    case '{': return json::object();
    default: break;
  }
  std::string text(rest);
  replace_each(text, ":?", fmt::format(":{}", unset_number));
  replace_each(text, ":=", fmt::format(":{}", zero_number));
  replace_each(text, ":~", fmt::format(":{}", endless_number));
  std::error_code error;
  return json::parse(text, error);
}

json::object read_layout(std::string_view layout, bool is_old) {
  json::object fields;
  for (const std::string_view word : split(layout, ' ')) {
    std::size_t end = 0;
    while (end < word.size() && (is_lower(word[end]) || word[end] == '_' || is_digit(word[end]))) ++end;
    if (end > 0) fields.emplace(word.substr(0, end), layout_value(word.substr(end), is_old));
  }
  return fields;
}

// Each layout is read once by a thread.
const json::object& blank_record(std::string_view layout, bool is_old) {
  thread_local std::map<const char*, json::object> known;
  const auto found = known.find(layout.data());
  if (found != known.end()) return found->second;
  return known.emplace(layout.data(), read_layout(layout, is_old)).first->second;
}

}  // namespace

json::value restd_number(const RestdShape& shape, std::int64_t number) {
  return shape.is_old() ? json::value(number) : json::value(known_number(number));
}

RestdRecord::RestdRecord(const RestdShape& shape, std::string_view v38, std::string_view v42, std::string_view v45)
    : fields_(blank_record(shape.is_old()        ? v38
                           : shape.version <= 42 ? v42
                                                 : v45,
                           shape.is_old())) {}

void RestdRecord::set(std::string_view key, json::value value) {
  if (json::value* const field = fields_.if_contains(key)) *field = std::move(value);
}

void RestdRecord::set_text(std::string_view key, std::string_view text) { set(key, json::string(text)); }

void RestdRecord::set_number(std::string_view key, std::int64_t number) {
  json::value* const field = fields_.if_contains(key);
  if (field) *field = field->is_object() ? json::value(known_number(number)) : json::value(number);
}

void RestdRecord::set_inner(std::string_view object, std::string_view key, json::value value) {
  json::value* const outer = fields_.if_contains(object);
  if (!outer || !outer->is_object()) return;
  json::value* const field = outer->get_object().if_contains(key);
  if (field) *field = std::move(value);
}

void RestdRecord::set_words(std::string_view key, const std::vector<std::string>& words, std::string_view separator) {
  json::value* const field = fields_.if_contains(key);
  if (!field) return;
  if (field->is_array()) {
    *field = json::array(words.begin(), words.end());
  } else {
    *field = json::string(fmt::format("{}", fmt::join(words, separator)));
  }
}

json::object RestdRecord::take(const json::object& raw) && {
  apply_raw(fields_, raw);
  return std::move(fields_);
}

}  // namespace rollcall::sim
