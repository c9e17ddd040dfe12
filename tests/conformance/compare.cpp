#include "conformance/compare.hpp"

#include <fmt/format.h>

#include <boost/regex.hpp>
#include <vector>

#include "conformance/text_form.hpp"

namespace rollcall::conformance {
namespace {

const json::string* pattern_of(const json::value& expected) {
  if (!expected.is_object() || expected.get_object().size() != 1) return nullptr;
  const json::value* const pattern = expected.get_object().if_contains("$regex");
  return pattern ? pattern->if_string() : nullptr;
}

class Comparison {
 public:
  explicit Comparison(bool is_subset) : is_subset_(is_subset) {}

  std::optional<std::string> run(const json::value& expected, const json::value& actual, const std::string& path,
                                 std::string_view key) const {
    if (const json::string* const pattern = pattern_of(expected)) return match(*pattern, actual, path);
    if (key == "port" && is_scalar(expected) && is_scalar(actual)) {
      return verdict(scalar_text(expected) == scalar_text(actual), path);
    }
    if (key == "ipAddress" && expected.is_string() && actual.is_string()) {
      return verdict(without_brackets(expected.get_string()) == without_brackets(actual.get_string()), path);
    }
    if (expected.is_number() && actual.is_number()) return verdict(equal_numbers(expected, actual), path);
    if (expected.is_object() && actual.is_object()) return objects(expected.get_object(), actual.get_object(), path);
    if (expected.is_array() && actual.is_array()) return arrays(expected.get_array(), actual.get_array(), path);
    return verdict(expected == actual, path);
  }

 private:
  static bool is_scalar(const json::value& value) { return value.is_string() || value.is_number(); }
  static std::optional<std::string> verdict(bool is_same, const std::string& path) {
    if (is_same) return std::nullopt;
    return path.empty() ? "the values differ" : "they differ at " + path;
  }

  // An IPv6 address is the same with and without them.
  static std::string_view without_brackets(std::string_view address) {
    return address.starts_with('[') && address.ends_with(']') ? address.substr(1, address.size() - 2) : address;
  }

  static bool equal_numbers(const json::value& a, const json::value& b) {
    if (!a.is_double() && !b.is_double()) return a == b;
    return a.to_number<double>() == b.to_number<double>();
  }

  static std::optional<std::string> match(const json::string& pattern, const json::value& actual, const std::string& path) {
    if (!is_scalar(actual)) return verdict(false, path);
    const std::string text = scalar_text(actual);
    const boost::regex compiled(pattern.begin(), pattern.end(), boost::regex::perl);
    return verdict(boost::regex_search(text, compiled), path);
  }

  std::optional<std::string> objects(const json::object& expected, const json::object& actual, const std::string& path) const {
    static const json::value null;
    for (const auto& [key, value] : expected) {
      const json::value* const found = actual.if_contains(key);
      if (auto difference = run(value, found ? *found : null, fmt::format("{}.{}", path, std::string_view(key)), key)) return difference;
    }
    if (is_subset_) return std::nullopt;
    for (const auto& [key, value] : actual) {
      if (!value.is_null() && !expected.contains(key)) return fmt::format("{}.{} is not expected", path, std::string_view(key));
    }
    return std::nullopt;
  }

  std::optional<std::string> arrays(const json::array& expected, const json::array& actual, const std::string& path) const {
    if (expected.size() != actual.size())
      return fmt::format("{} elements instead of {}{}", actual.size(), expected.size(), path.empty() ? "" : " at " + path);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (auto difference = run(expected[i], actual[i], fmt::format("{}[{}]", path, i), {})) return difference;
    }
    return std::nullopt;
  }

  bool is_subset_;
};

std::optional<std::string> sets(const json::array& expected, const json::array& actual) {
  if (expected.size() != actual.size()) return fmt::format("{} elements instead of {}", actual.size(), expected.size());
  std::vector<bool> is_taken(actual.size());
  for (const json::value& wanted : expected) {
    std::size_t i = 0;
    while (i < actual.size() && (is_taken[i] || mismatch(wanted, actual[i]))) ++i;
    if (i == actual.size()) return fmt::format("{} is missing", short_text(wanted));
    is_taken[i] = true;
  }
  return std::nullopt;
}

// `encode_*`: the bytes may be any of several encodings.
std::optional<std::string> any_encoding(const json::array& accepted, const json::value& actual) {
  for (const json::value& encoding : accepted) {
    if (encoding == actual) return std::nullopt;
  }
  return "none of the accepted encodings";
}

}  // namespace

std::optional<std::string> mismatch(const json::value& expected, const json::value& actual, CompareMode mode) {
  if (mode == CompareMode::set && expected.is_array() && actual.is_array()) return sets(expected.get_array(), actual.get_array());
  if (expected.is_object() && expected.get_object().size() == 1) {
    const json::value* const encodings = expected.get_object().if_contains("wire_b64_any");
    if (encodings && encodings->is_array()) return any_encoding(encodings->get_array(), actual);
  }
  return Comparison(mode == CompareMode::subset).run(expected, actual, {}, {});
}

CompareMode mode_of(std::string_view call) {
  if (call == "jobs") return CompareMode::set;
  return call.starts_with("decode_") ? CompareMode::subset : CompareMode::exact;
}

std::optional<std::string> bad_pattern(const json::value& expected) {
  if (const json::string* const pattern = pattern_of(expected)) {
    try {
      const boost::regex compiled(pattern->begin(), pattern->end(), boost::regex::perl);
    } catch (const boost::regex_error& error) {
      return fmt::format("{}: {}", short_text(expected), error.what());
    }
  } else if (expected.is_object()) {
    for (const auto& member : expected.get_object()) {
      if (auto bad = bad_pattern(member.value())) return bad;
    }
  } else if (expected.is_array()) {
    for (const json::value& item : expected.get_array()) {
      if (auto bad = bad_pattern(item)) return bad;
    }
  }
  return std::nullopt;
}

}  // namespace rollcall::conformance
