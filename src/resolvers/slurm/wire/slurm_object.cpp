#include "resolvers/slurm/wire/slurm_object.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::int64_t no_value_16 = 0xfffe;  // NO_VAL16, INFINITE16, NO_VAL and INFINITE of slurm.h, which some fields still have
constexpr std::int64_t no_value = 0xfffffffe;
constexpr std::int64_t no_limit = 0xffffffff;

SlurmNumber plain_number(std::int64_t value) {
  SlurmNumber number;
  if (value == no_value) return number;
  number.is_infinite = value == no_limit || value == -1;
  if (!number.is_infinite) number.value = value;
  return number;
}

// Slurm writes some whole numbers as `4.0`.
std::optional<std::int64_t> whole(const boost::json::value& value) {
  constexpr double most = 9e18;
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) return std::numeric_limits<std::int64_t>::max();
  if (value.is_double() && std::isfinite(value.get_double()) && std::abs(value.get_double()) < most)
    return static_cast<std::int64_t>(value.get_double());
  return std::nullopt;
}

}  // namespace

SlurmObject::SlurmObject(const boost::json::value* object, std::string path, std::string& fault)
    : object_(object), path_(std::move(path)), fault_(fault) {
  if (object_ && !object_->is_object()) {
    if (fault_.empty()) fault_ = fmt::format("{} is {}, not an object", path_, kind_name(*object_));
    object_ = nullptr;
  }
}

const boost::json::value* SlurmObject::field(std::string_view key) const { return object_ ? find(*object_, key) : nullptr; }

void SlurmObject::complain(std::string_view key, std::string_view trouble) const {
  if (fault_.empty()) fault_ = fmt::format("{}.{} {}", path_, key, trouble);
}

std::string SlurmObject::text(std::string_view key) const {
  const boost::json::value* const value = field(key);
  if (!value) return {};
  if (value->is_string()) return std::string(value->get_string());
  complain(key, fmt::format("is {}, not a text", kind_name(*value)));
  return {};
}

std::vector<std::string> SlurmObject::words(std::string_view key, char separator) const {
  constexpr std::size_t max_words = 65'536;  // of the GPUs of each node of a job
  std::vector<std::string> list;
  const boost::json::value* const value = field(key);
  if (!value) return list;
  if (value->is_array()) {
    if (value->get_array().size() > max_words) complain(key, "has too many parts");
    for (const boost::json::value& one : value->get_array()) {
      if (list.size() == max_words) break;
      if (one.is_string()) {
        list.emplace_back(one.get_string());
      } else {
        complain(key, fmt::format("has {}, not a text", kind_name(one)));
      }
    }
    return list;
  }
  const std::string text = this->text(key);
  for (const std::string_view part : split(text, separator)) {
    if (!trim(part).empty() && list.size() < max_words) list.emplace_back(trim(part));
  }
  return list;
}

std::vector<std::string> SlurmObject::upper_words(std::string_view key, char separator) const {
  std::vector<std::string> list = words(key, separator);
  for (std::string& word : list) {
    for (char& c : word) {
      if (is_lower(c)) c = static_cast<char>(c - 'a' + 'A');
    }
  }
  return list;
}

SlurmNumber SlurmObject::number(std::string_view key) const {
  const boost::json::value* const value = field(key);
  if (!value) return {};
  if (const std::optional<std::int64_t> plain = whole(*value)) return plain_number(*plain);
  if (value->is_string()) {  // some versions and programs write numbers as texts
    const std::string_view text = trim(std::string_view(value->get_string()));
    if (text.empty()) return {};
    if (const auto parsed = parse_decimal<std::int64_t>(text)) return plain_number(*parsed);
    complain(key, fmt::format("is {}, not a number", quoted(text, 40)));
    return {};
  }
  if (!value->is_object()) {
    complain(key, fmt::format("is {}, not a number", kind_name(*value)));
    return {};
  }
  SlurmNumber number;
  const auto is_true = [value](std::string_view name) {
    const boost::json::value* const is = find(*value, name);
    return is && is->is_bool() && is->get_bool();
  };
  number.is_infinite = is_true("infinite");
  if (!is_true("set")) return number;
  const boost::json::value* const inside = find(*value, "number");
  const std::optional<std::int64_t> set = inside ? whole(*inside) : std::nullopt;
  if (!set) complain(key, "is set, but has no number");
  if (!number.is_infinite) number.value = set;
  return number;
}

int SlurmObject::count(std::string_view key) const {
  const std::int64_t value = number(key).value.value_or(0);
  if (value < 0 || value == no_value_16 || value > std::numeric_limits<int>::max()) return 0;
  return static_cast<int>(value);
}

bool SlurmObject::flag(std::string_view key) const {
  const boost::json::value* const value = field(key);
  return value && value->is_bool() && value->get_bool();
}

std::optional<WallTime> SlurmObject::time(std::string_view key) const {
  constexpr std::int64_t max_seconds = 9'000'000'000;  // WallTime ends in the year 2262
  const std::optional<std::int64_t> seconds = number(key).value;
  if (!seconds || *seconds <= 0 || *seconds > max_seconds) return std::nullopt;
  return WallTime(std::chrono::seconds(*seconds));
}

SlurmObject SlurmObject::inner(std::string_view key) const { return SlurmObject(field(key), fmt::format("{}.{}", path_, key), fault_); }

std::vector<SlurmError> slurm_errors(const boost::json::value& root) {
  constexpr std::size_t max_errors = 8;
  constexpr std::size_t max_shown = 200;
  constexpr int unspecified = -1;  // Slurm's own number of an error without one
  std::vector<SlurmError> errors;
  const boost::json::value* const list = find(root, "errors");
  if (!list || !list->is_array()) return errors;
  const auto number_of = [unspecified](const boost::json::value& error) {
    const boost::json::value* number = find(error, "error_number");
    if (!number) number = find(error, "errno");  // of 22.05's nodes
    return number ? static_cast<int>(whole(*number).value_or(unspecified)) : unspecified;
  };
  for (const boost::json::value& one : list->get_array()) {
    SlurmError error;
    error.number = number_of(one);
    if (error.number == 0) continue;
    for (const std::string_view key : {"description", "error"}) {
      const std::string part = printable(trim(find_text(one, key).value_or("")), max_shown);
      if (!part.empty()) error.text += (error.text.empty() ? "" : ": ") + part;
    }
    if (error.text.empty()) error.text = "without a text";
    errors.push_back(std::move(error));
    if (errors.size() == max_errors) break;
  }
  return errors;
}

}  // namespace rollcall
