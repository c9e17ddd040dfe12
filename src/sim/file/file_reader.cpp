#include "sim/file/file_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <vector>

#include "base/value_readers.hpp"
#include "json/json_dom.hpp"
#include "sim/file/file.hpp"
#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

namespace {

constexpr double max_seconds = 1e9;

std::optional<double> parse_seconds(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 5> units = {
      {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const auto& [name, factor] : units) {
    if (unit == name) return number * factor;
  }
  return std::nullopt;
}

}  // namespace

FilePath FileValue::path() const {
  FilePath out;
  for (const FileValue* at = this; at->parent_; at = at->parent_) {
    FileStep step;
    step.key = std::string(at->key_);
    step.index = at->index_;
    step.is_index = at->parent_->value_.is_array();
    out.push_back(std::move(step));
  }
  std::reverse(out.begin(), out.end());
  return out;
}

void FileValue::complain(std::string what) const {
  if (problem_) return;
  problem_.emplace();
  problem_->what = std::move(what);
  problem_->path = path();
}

void FileValue::complain_about_key(std::string_view key, std::string what) const {
  if (problem_) return;
  complain(std::move(what));
  FileStep step;
  step.key = std::string(key);
  problem_->path.push_back(std::move(step));
  problem_->is_about_key = true;
}

void FileValue::complain_if_huge(std::string_view key, std::size_t times) const {
  constexpr std::size_t max_model_bytes = 256 * 1024 * 1024;
  if (json::serialize(value_).size() * times > max_model_bytes) complain(fmt::format("{}: this would be too large", key));
}

void FileValue::read(std::string& into) const {
  if (const json::string* text = value_.if_string()) {
    if (text->size() > 1024 * 1024) return complain("the text is longer than 1 MB");
    into.assign(text->data(), text->size());
  } else {
    complain(fmt::format("expected a text, found {}", kind_name(value_)));
  }
}

void FileValue::read_id(std::string& into, std::string_view noun, std::string_view placeholder) const {
  std::string text;
  read(text);
  if (has_problem()) return;
  std::string id = text;
  if (const std::size_t at = id.find(placeholder); !placeholder.empty() && at != std::string::npos) id.replace(at, placeholder.size(), "0");
  const bool is_fine = !id.empty() && id.size() <= 256 && id != "." && id != ".." && std::all_of(id.begin(), id.end(), [](char c) {
    return is_alnum(c) || c == '-' || c == '_' || c == '.' || c == ':';
  });
  if (!is_fine) return complain(fmt::format("{} is no {}: expected at most 256 letters, digits and - _ . :", quoted(text, 80), noun));
  into = std::move(text);
}

void FileValue::read_label(std::string& into, std::string_view noun) const {
  std::string text;
  read(text);
  if (has_problem()) return;
  if (!is_dns_label(text)) return complain(fmt::format("{} is no {}: expected at most 63 of a-z, 0-9 and -", quoted(text, 80), noun));
  into = std::move(text);
}

void FileValue::read_address(std::string& into) const {
  read(into);
  if (!has_problem() && !address_plus(into, 0)) complain(fmt::format("{} is no IP address", quoted(into)));
}

void FileValue::read(bool& into) const {
  if (const bool* flag = value_.if_bool()) {
    into = *flag;
  } else {
    complain(fmt::format("expected true or false, found {}", kind_name(value_)));
  }
}

void FileValue::read(Duration& into) const {
  std::optional<double> seconds;
  if (const json::string* text = value_.if_string()) {
    seconds = parse_seconds({text->data(), text->size()});
  } else if (value_.is_number()) {
    std::error_code error;
    seconds = value_.to_number<double>(error);
  }
  if (!seconds || !std::isfinite(*seconds) || *seconds < 0 || *seconds > max_seconds) {
    return complain("expected a time: seconds as a number, or a text such as \"150ms\", \"2.5s\", \"3m\", \"1h\"");
  }
  into = Duration(static_cast<std::int64_t>(std::llround(*seconds * 1e9)));
}

void FileValue::read(json::object& into) const {
  if (const json::object* value = object()) into = *value;
}

void FileValue::read(json::array& into) const {
  if (const json::array* value = array()) into = *value;
}

void FileValue::read(std::vector<std::string>& into) const {
  into.clear();
  read_list(*this, [&into](const FileValue& element) {
    std::string text;
    element.read(text);
    into.push_back(std::move(text));
  });
}

std::optional<std::int64_t> FileValue::integer(std::int64_t low, std::int64_t high) const {
  std::optional<std::int64_t> number;
  if (const std::int64_t* small = value_.if_int64()) number = *small;
  if (number && *number >= low && *number <= high) return number;
  complain(fmt::format("expected a whole number from {} to {}", low, high));
  return std::nullopt;
}

std::optional<std::size_t> FileValue::word(std::string_view noun, std::span<const std::string_view> words) const {
  std::string text;
  read(text);
  if (has_problem()) return std::nullopt;
  if (const std::optional<std::size_t> index = index_among(text, words)) return index;
  std::vector<std::string_view> named;  // the empty word stands for no value
  std::copy_if(words.begin(), words.end(), std::back_inserter(named), [](std::string_view one) { return !one.empty(); });
  complain(fmt::format("unknown {} {}{}", noun, quoted(text, 80), nearest_or_known(text, named)));
  return std::nullopt;
}

const json::array* FileValue::array() const {
  const json::array* const out = value_.if_array();
  if (!out) complain(fmt::format("expected an array, found {}", kind_name(value_)));
  return out;
}

const json::object* FileValue::object() const {
  const json::object* const out = value_.if_object();
  if (!out) complain(fmt::format("expected an object, found {}", kind_name(value_)));
  return out;
}

void complain_about_unknown(const FileValue& object, std::span<const std::string_view> known) {
  for (const auto& entry : object.json().get_object()) {
    const std::string_view key = entry.key();
    if (object.has_problem()) return;
    if (key.starts_with("//") || index_among(key, known)) continue;
    object.complain_about_key(key, fmt::format("unknown key{}", nearest_or_known(key, known)));
  }
}

}  // namespace rollcall::sim
